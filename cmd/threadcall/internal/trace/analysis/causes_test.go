package analysis

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	rtrace "runtime/trace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// The first three sentences of the verdict name the cause for which a program is slow.
func TestTrace_causes(t *testing.T) {
	const locked, holder = "for the mutex locked at ", "; its holder "
	for _, c := range []struct {
		program func()
		rule    string
		texts   []string
	}{
		{semaphoreOfOne, "contention", []string{".limited", "; those that ended the waits slept"}},
		{connectionOfOne, "contention", []string{".fetch"}},
		{lockOverNetwork, "contention", []string{locked, ".lookup", holder,
			"waited for the network in net.(*conn).Read", ".ask"}},
		{lockOverAnswer, "contention", []string{locked, ".refresh", holder, "waited for HTTP", ".fetch"}},
		{lockOverCall, "contention", []string{locked, holder, "waited (channel receive)", ".call",
			"for one that slept at ", ".answers"}},
		{logsToPipe, "contention", []string{locked, ".handle", holder, "waited in os.(*File).Write",
			".handle"}},
		{finalizer, "finalizers", []string{".acquire", "for the finalizer at ", ".release"}},
		{cleanup, "finalizers", []string{".acquire", "for the cleanup at ", ".giveBack"}},
		{pipeline, "bottleneck", []string{".slowStage"}},
		{herd, "wake-ups", []string{".wakeAll"}},
		{allocations, "collections", []string{".allocate"}},
		{memoryLimit, "collections", []string{"collections in", "the heap at the memory limit",
			".allocate"}},
		{smallGOGC, "collections", []string{"collections in", "because GOGC is about "}},
		{computes, "full Ps", []string{".compute"}},
		{tickers, "full Ps", []string{"goroutines that timers woke at ", ".tick"}},
		{sleepers, "full Ps", []string{"goroutines that timers woke at ", ".poll"}},
		{callbacks, "full Ps", []string{"goroutines that timers started in ", ".callbacks.func1"}},
		{pingPong, "hand-overs", []string{"handed over", ".ping", "was switching"}},
		{condHandOver, "hand-overs", []string{"handed over", ".produce", "was switching"}},
	} {
		name := runtime.FuncForPC(reflect.ValueOf(c.program).Pointer()).Name()
		t.Run(name[strings.LastIndexByte(name, '.')+1:], func(t *testing.T) {
			r := analyse(t, c.program)
			firstThree(r, c.rule)
			wantFinding(t, r, c.rule, c.texts...)
		})
	}
}

// The main goroutine waits for others.
func TestTrace_main(t *testing.T) {
	for program, texts := range map[string][]string{
		"answers": {"waited for HTTP", ".fetch", ".askFor"},
		"answers by one": {"waited (channel receive)", "; those that ended the waits waited for HTTP",
			".fetch"},
		"group of two": {"waited (channel send) in errgroup.(*Group).Go", ".crawl",
			"; those that ended the waits slept"},
		"channel for two": {"waited (channel send) for", ".limit"},
	} {
		t.Run(program, func(t *testing.T) {
			r := read(t, recordedBy(t, program))
			firstThree(r, "main")
			wantFinding(t, r, "main", append([]string{"The main goroutine "}, texts...)...)
		})
	}
}

// Programs in which no goroutine waits for anything special have no finding.
func TestTrace_nothing(t *testing.T) {
	for name, program := range map[string]func(){
		"idle workers": idleWorkers, "few timers": fewTimers, "a server": served, "batches": batches,
	} {
		t.Run(name, func(t *testing.T) { nothing(t, analyse(t, program)) })
	}
	t.Run("main waits", func(t *testing.T) { nothing(t, read(t, recordedBy(t, "served"))) })
}

func nothing(t *testing.T, r *trace.Report) {
	t.Helper()
	for _, f := range r.Verdict {
		if !othersCause(f) {
			t.Errorf("%+v", f)
		}
	}
}

// othersCause reports whether other processes can be the cause of a finding.
func othersCause(f trace.Finding) bool { return f.Rule == "full Ps" || f.Rule == "stop-the-world" }

// firstThree leaves the first three findings, those of rule and what other processes do not cause.
func firstThree(r *trace.Report, rule string) {
	r.Verdict = slices.DeleteFunc(r.Verdict, func(f trace.Finding) bool {
		return f.Rule != rule && othersCause(f)
	})
	r.Verdict = r.Verdict[:min(len(r.Verdict), 3)]
}

// eight runs f in eight goroutines, n times in each.
func eight(n int, f func()) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range n {
				f()
			}
		})
	}
	all.Wait()
}

// ask waits for one end of a pipe, from which an answer comes after a while.
func ask(c net.Conn) {
	c.Write([]byte{1})
	c.Read(make([]byte, 1))
}

// slowly returns a connection that answers after 2 ms.
func slowly() net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		c, err := l.Accept()
		l.Close()
		for b := make([]byte, 1); err == nil; _, err = c.Write(b) {
			if _, err = c.Read(b); err == nil {
				time.Sleep(2 * time.Millisecond)
			}
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	return c
}

func lookup(mu *sync.Mutex, c net.Conn) {
	mu.Lock()
	defer mu.Unlock()
	ask(c)
}

func lockOverNetwork() {
	var mu sync.Mutex
	c := slowly()
	defer c.Close()
	eight(5, func() { lookup(&mu, c) })
}

// server answers after a while.
func server(after time.Duration) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(after)
		io.WriteString(w, "x")
	}))
}

func refresh(mu *sync.Mutex, c *http.Client, url string) {
	mu.Lock()
	defer mu.Unlock()
	fetch(c, url)
}

func lockOverAnswer() {
	var mu sync.Mutex
	s := server(2 * time.Millisecond)
	defer s.Close()
	eight(5, func() { refresh(&mu, s.Client(), s.URL) })
}

func answers(in <-chan chan bool) {
	for out := range in {
		time.Sleep(2 * time.Millisecond)
		out <- true
	}
}

func call(in chan<- chan bool) {
	out := make(chan bool)
	in <- out
	<-out
}

func lockOverCall() {
	var mu sync.Mutex
	in := make(chan chan bool)
	defer close(in)
	go answers(in)
	eight(5, func() {
		mu.Lock()
		call(in)
		mu.Unlock()
	})
}

func handle(l *log.Logger) { l.Print(strings.Repeat("request ", 1000)) }

func logsToPipe() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	defer w.Close()
	go func() {
		defer r.Close()
		for b := make([]byte, 16<<10); err == nil; time.Sleep(2 * time.Millisecond) {
			_, err = r.Read(b)
		}
	}()
	l := log.New(w, "", 0)
	eight(15, func() { handle(l) })
}

type ticket struct {
	_    [16]byte
	free chan<- bool
}

func acquire(free chan bool, then func(*ticket)) {
	<-free
	then(&ticket{free: free})
}

func release(t *ticket) {
	time.Sleep(2 * time.Millisecond)
	t.free <- true
}

// withTickets has two, which the collector gives back.
func withTickets(then func(*ticket)) {
	free, end := make(chan bool, 60), make(chan bool)
	free <- true
	free <- true
	go func() {
		eight(5, func() { acquire(free, then) })
		close(end)
	}()
	for {
		select {
		case <-end:
			return
		case <-time.After(time.Millisecond):
			runtime.GC()
		}
	}
}

func finalizer() {
	withTickets(func(t *ticket) { runtime.SetFinalizer(t, release) })
}

func giveBack(free chan<- bool, c net.Conn) {
	ask(c)
	free <- true
}

func cleanup() {
	c := slowly()
	defer c.Close()
	withTickets(func(t *ticket) {
		runtime.AddCleanup(t, func(free chan<- bool) { giveBack(free, c) }, t.free)
	})
}

// collected allocates until the collector has run forty times.
func collected() {
	live := allocate(17)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for end := m.NumGC + 40; m.NumGC < end; runtime.ReadMemStats(&m) {
		for range 100 {
			allocate(8)
		}
	}
	runtime.KeepAlive(live)
}

func memoryLimit() {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
	collected()
}

func smallGOGC() {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	collected()
}

func tick(t *time.Ticker, end *atomic.Bool) {
	for !end.Load() {
		<-t.C
		work()
	}
}

func poll(end *atomic.Bool) {
	for !end.Load() {
		time.Sleep(100 * time.Microsecond)
		work()
	}
}

// work takes some microseconds, so that the Ps are full also where other processes have the CPUs.
func work() {
	for n := range 5000 {
		runtime.KeepAlive(n)
	}
}

// crowd has 2000 goroutines for a while.
func crowd(f func(end *atomic.Bool)) {
	var end atomic.Bool
	time.AfterFunc(300*time.Millisecond, func() { end.Store(true) })
	var all sync.WaitGroup
	for range 2000 {
		all.Go(func() { f(&end) })
	}
	all.Wait()
}

func tickers() {
	crowd(func(end *atomic.Bool) {
		t := time.NewTicker(time.Millisecond)
		defer t.Stop()
		tick(t, end)
	})
}

func sleepers() { crowd(poll) }

// callbacks run at their times, each in a goroutine that a timer starts.
func callbacks() {
	var end atomic.Bool
	var all sync.WaitGroup
	var callback func()
	callback = func() {
		defer all.Done()
		for from := time.Now(); time.Since(from) < 20*time.Microsecond; {
		}
		if !end.Load() {
			all.Add(1)
			time.AfterFunc(time.Millisecond, callback)
		}
	}
	for range 3000 {
		all.Add(1)
		time.AfterFunc(time.Millisecond, callback)
	}
	time.Sleep(200 * time.Millisecond)
	end.Store(true)
	all.Wait()
}

func ping(a, b chan int) {
	for n := range 30000 {
		a <- n
		<-b
	}
	close(a)
}

func pingPong() {
	a, b := make(chan int), make(chan int)
	go ping(a, b)
	for n := range a {
		b <- n
	}
}

func produce(c *sync.Cond, full *bool, is bool) {
	c.L.Lock()
	defer c.L.Unlock()
	for range 30000 {
		for *full == is {
			c.Wait()
		}
		*full = is
		c.Signal()
	}
}

func condHandOver() {
	c, full := sync.NewCond(new(sync.Mutex)), false
	var all sync.WaitGroup
	for _, is := range []bool{true, false} {
		all.Go(func() { produce(c, &full, is) })
	}
	all.Wait()
}

// recorded returns a program that records itself.
func recorded(f func()) func() {
	return func() {
		if err := rtrace.Start(os.Stdout); err != nil {
			panic(err)
		}
		defer rtrace.Stop()
		f()
	}
}

var began = time.Now()

// mostly calls f n times, and goes on until that has taken most of the time since the process
// began: where other processes compute, the rest takes long, too.
func mostly(n int, f func()) {
	for took := time.Duration(0); n > 0 || took*4 < 3*time.Since(began); n-- {
		start := time.Now()
		f()
		took += time.Since(start)
	}
}

func askFor(s *httptest.Server) {
	mostly(4, func() {
		fetch(s.Client(), s.URL)
		time.Sleep(time.Millisecond)
	})
}

func answersForMain() {
	s := server(40 * time.Millisecond)
	askFor(s)
}

func answersByOne() {
	s, out := server(20*time.Millisecond), make(chan bool)
	go func() {
		mostly(20, func() {
			fetch(s.Client(), s.URL)
			out <- true
		})
		close(out)
	}()
	for range out {
	}
}

// crawls is how long a task takes of those for which main waits: so long that main waits for half
// of the time on a machine, too, on which other processes compute.
const crawls = 25 * time.Millisecond

func crawl() {
	var g errgroup.Group
	g.SetLimit(2)
	for range 20 {
		g.Go(func() error { time.Sleep(crawls); return nil })
	}
	g.Wait()
}

func limit() {
	slots := make(chan bool, 2)
	for range 20 {
		slots <- true
		go func() { time.Sleep(crawls); <-slots }()
	}
}

func limited(slots chan bool) {
	slots <- true
	time.Sleep(time.Millisecond)
	<-slots
}

func semaphoreOfOne() {
	slots := make(chan bool, 1)
	eight(5, func() { limited(slots) })
}

func fetch(c *http.Client, url string) {
	r, err := c.Get(url)
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

func connectionOfOne() {
	s := server(2 * time.Millisecond)
	defer s.Close()
	c := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer c.CloseIdleConnections()
	eight(5, func() { fetch(c, s.URL) })
}

func stage(in <-chan int, out chan<- int) {
	for n := range in {
		out <- n
	}
	close(out)
}

func slowStage(in <-chan int, out chan<- int) {
	for n := range in {
		time.Sleep(2 * time.Millisecond)
		out <- n
	}
	close(out)
}

func pipeline() {
	a, b, c, d := make(chan int, 1), make(chan int, 1), make(chan int, 1), make(chan int, 1)
	go stage(a, b)
	go slowStage(b, c)
	go stage(c, d)
	go func() {
		defer close(a)
		for n := range 60 {
			a <- n
		}
	}()
	for range d {
	}
}

// wakeAll wakes all that wait when n do.
func wakeAll(c *sync.Cond, waiting *int, n int) {
	c.L.Lock()
	defer c.L.Unlock()
	for *waiting < n {
		c.L.Unlock()
		runtime.Gosched()
		c.L.Lock()
	}
	*waiting = 0
	c.Broadcast()
}

func herd() {
	const goroutines, rounds = 300, 30
	c, waiting := sync.NewCond(new(sync.Mutex)), 0
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			c.L.Lock()
			defer c.L.Unlock()
			for range rounds {
				waiting++
				c.Wait()
			}
		})
	}
	for range rounds {
		wakeAll(c, &waiting, goroutines)
	}
	all.Wait()
}

type tree struct{ left, right *tree }

func allocate(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{allocate(depth - 1), allocate(depth - 1)}
}

// allocations allocates until goroutines have assisted for 50 ms.
func allocations() {
	live := allocate(18)
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	assist := []metrics.Sample{{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"}}
	seconds := func() float64 {
		metrics.Read(assist)
		return assist[0].Value.Float64()
	}
	var enough atomic.Bool
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for !enough.Load() {
				allocate(8)
			}
		})
	}
	for start := seconds(); seconds() < start+0.05; {
		time.Sleep(5 * time.Millisecond)
	}
	enough.Store(true)
	all.Wait()
	runtime.KeepAlive(live)
}

func compute(end *atomic.Bool) {
	for !end.Load() {
	}
}

// computes has one P, for which others wait, too.
func computes() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var end atomic.Bool
	var all sync.WaitGroup
	all.Go(func() { compute(&end) })
	for range 20 {
		time.Sleep(time.Millisecond)
	}
	end.Store(true)
	all.Wait()
}

// idleWorkers wait for work, of which there is little.
func idleWorkers() {
	work := make(chan int)
	go func() {
		defer close(work)
		for n := range 50 {
			time.Sleep(time.Millisecond)
			work <- n
		}
	}()
	eight(1, func() {
		for range work {
		}
	})
}

func fewTimers() {
	eight(1, func() {
		t := time.NewTicker(10 * time.Millisecond)
		for range 10 {
			<-t.C
		}
	})
}

// served has a server with little to do, and a main goroutine that waits for its end.
func served() {
	s := server(0)
	end := make(chan bool)
	go func() {
		defer close(end)
		for range 20 {
			start := time.Now()
			fetch(s.Client(), s.URL)
			// most of the time, also where other processes compute and an answer takes long
			time.Sleep(max(5*time.Millisecond, 4*time.Since(start)))
		}
	}()
	<-end
	s.Close()
}

// batches are handed over of which each takes a while.
func batches() {
	a, b := make(chan int), make(chan int)
	go func() {
		defer close(a)
		for n := range 500 {
			a <- n
			<-b
		}
	}()
	for n := range a {
		for end := time.Now().Add(100 * time.Microsecond); time.Now().Before(end); {
		}
		b <- n
	}
}

func blockingRead(blocked chan<- bool, r *os.File) {
	// Fd makes the pipe one that the network poller does not know.
	f := os.NewFile(r.Fd(), "blocking")
	close(blocked)
	f.Read(make([]byte, 1))
}

// recordLoop is an event loop of the main thread, which is blocked for 71 ms once.
func recordLoop() {
	runtime.LockOSThread()
	if err := rtrace.Start(os.Stdout); err != nil {
		panic(err)
	}
	defer rtrace.Stop()
	for n := range 60 {
		time.Sleep(time.Millisecond)
		if n == 30 {
			r, w, err := os.Pipe()
			if err != nil {
				panic(err)
			}
			blocked := make(chan bool)
			go func() {
				<-blocked
				time.Sleep(71 * time.Millisecond)
				w.Write([]byte("x"))
			}()
			blockingRead(blocked, r)
		}
	}
}

func TestTrace_stall(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOARCH == "wasm" {
		t.Skip("a read of a pipe is not a system call that blocks")
	}
	r := read(t, recordedBy(t, "loop"))
	firstThree(r, "stall")
	wantFinding(t, r, "stall", ".blockingRead")
	if s := r.Waiting.Loop.Stalls; len(s) == 0 || r.Waiting.Loop.Moved {
		t.Errorf("%+v", r.Waiting.Loop)
	}
}

// writeAll writes until the pipe is full, again and again.
func writeAll(w *os.File, all []byte) {
	for range 40 {
		w.Write(all)
	}
}

func TestTrace_systemCalls(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOARCH == "wasm" {
		t.Skip("a write to a pipe is not a system call that blocks")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	blocking := os.NewFile(w.Fd(), "blocking")
	got := analyse(t, func() {
		go func() {
			defer blocking.Close()
			writeAll(blocking, make([]byte, 64<<10))
		}()
		for buffer := make([]byte, 64<<10); ; time.Sleep(2 * time.Millisecond) {
			if n, _ := r.Read(buffer); n == 0 {
				return
			}
		}
	})
	wantFinding(t, got, "system calls", ".writeAll")
}
