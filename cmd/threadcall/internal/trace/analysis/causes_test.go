package analysis

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// The first three sentences of the verdict name the cause for which a program is slow.
func TestTrace_causes(t *testing.T) {
	for _, c := range []struct {
		rule, place string
		program     func()
	}{
		{"contention", ".limited", semaphoreOfOne},
		{"contention", ".fetch", connectionOfOne},
		{"bottleneck", ".slowStage", pipeline},
		{"wake-ups", ".wakeAll", herd},
		{"assists", ".allocate", allocations},
		{"full Ps", ".compute", computes},
	} {
		t.Run(c.rule+c.place, func(t *testing.T) {
			r := analyse(t, c.program)
			r.Verdict = r.Verdict[:min(len(r.Verdict), 3)]
			wantFinding(t, r, c.rule, c.place)
		})
	}
}

func limited(slots chan bool) {
	slots <- true
	time.Sleep(time.Millisecond)
	<-slots
}

func semaphoreOfOne() {
	slots := make(chan bool, 1)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				limited(slots)
			}
		})
	}
	all.Wait()
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
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(2 * time.Millisecond)
		io.WriteString(w, "x")
	}))
	defer s.Close()
	c := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer c.CloseIdleConnections()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				fetch(c, s.URL)
			}
		})
	}
	all.Wait()
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
	defer debug.SetGCPercent(debug.SetGCPercent(5))
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

// Workers that wait for work, of which there is little, are no cause.
func TestTrace_idle(t *testing.T) {
	r := analyse(t, func() {
		work := make(chan int)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range work {
				}
			})
		}
		for n := range 50 {
			time.Sleep(time.Millisecond)
			work <- n
		}
		close(work)
		all.Wait()
	})
	if i := slices.IndexFunc(r.Verdict, func(f report.Finding) bool {
		return f.Rule != "full Ps" && f.Rule != "stop-the-world" // which other processes can cause
	}); i >= 0 {
		t.Errorf("%+v", r.Verdict[i])
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
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	defer trace.Stop()
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
	r.Verdict = r.Verdict[:min(len(r.Verdict), 3)]
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
