package workload

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/self"
)

func TestMain(m *testing.M) {
	MaybeBurn()
	if os.Getenv(parent) != "" {
		beParent()
	}
	os.Exit(m.Run())
}

func needsProcesses(t *testing.T) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("js/wasm cannot start a process")
	}
}

// needsPreemption skips a test in which goroutines compute and do not yield.
func needsPreemption(t *testing.T) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("js/wasm cannot take the P from a goroutine that computes")
	}
}

// coarseClock is whether the clock may stand still for half a millisecond.
const coarseClock = runtime.GOOS == "windows" || runtime.GOARCH == "wasm"

// inPlace is a Subject without a thread.
type inPlace struct {
	calls, gos atomic.Int64
	do         func()
}

func (s *inPlace) Call(f func()) bool { s.calls.Add(1); s.run(f); return true }
func (s *inPlace) Go(f func()) bool   { s.gos.Add(1); s.run(f); return true }
func (s *inPlace) run(f func()) {
	if s.do != nil {
		s.do()
	}
	f()
}

func TestPatternsMakeTheCallsThatTheyAreAskedFor(t *testing.T) {
	neighbours := func(s Subject, x Extent) Result {
		r, err := Neighbours(s, x)
		if err != nil {
			t.Error(err)
		}
		return r
	}
	for _, test := range []struct {
		name       string
		run        Pattern
		n          int
		calls, gos int64
		latencies  bool
	}{
		{name: "hot", run: Hot, n: 250, calls: 250},
		{name: "idle", run: Idle, n: 10, calls: 10, latencies: true},
		{name: "burst", run: Burst, n: 3, calls: 600, latencies: true},
		{name: "contended by few", run: Contended(16), n: 1000, calls: 1000},
		{name: "contended by more than calls", run: Contended(16), n: 5, calls: 5},
		{name: "post", run: Post, n: 2500, calls: 1, gos: 2500},
		{name: "busy", run: Busy, n: 3, calls: 3, latencies: true},
		{name: "neighbours", run: neighbours, n: 3, calls: 600, latencies: true},
		{name: "nested", run: Nested, n: 250, calls: 251},
	} {
		t.Run(test.name, func(t *testing.T) {
			switch test.name {
			case "busy":
				needsPreemption(t)
			case "neighbours":
				needsProcesses(t)
			}
			var s inPlace
			r := test.run(&s, Extent{N: test.n})
			if s.calls.Load() != test.calls || s.gos.Load() != test.gos {
				t.Errorf("%d Call and %d Go, want %d and %d", s.calls.Load(), s.gos.Load(), test.calls, test.gos)
			}
			if r.Ops != test.n || r.Time < 0 || r.Time == 0 && !coarseClock {
				t.Errorf("%d operations of %v ns, want %d", r.Ops, r.Time, test.n)
			}
			if test.latencies != (len(r.Latencies) == test.n) || !slices.IsSorted(r.Latencies) {
				t.Errorf("latencies %v", r.Latencies)
			}
		})
	}
}

func TestAnExtentInTimeIsKept(t *testing.T) {
	needsPreemption(t)
	const d = 20 * time.Millisecond
	for name, run := range map[string]Pattern{"hot": Hot, "idle": Idle, "contended": Contended(4), "post": Post} {
		var s inPlace
		start := time.Now()
		r := run(&s, Extent{D: d})
		if took := time.Since(start); took < d || r.Ops < 2 {
			t.Errorf("%s: %d operations in %v, want %v", name, r.Ops, took, d)
		}
	}
}

func TestTimeIsThatOfTheCallsWithoutTheSilence(t *testing.T) {
	slow := inPlace{do: func() { time.Sleep(3 * time.Millisecond) }}
	for name, run := range map[string]Pattern{"hot": Hot, "idle": Idle} {
		if r := run(&slow, Extent{N: 5}); r.Time < 3e6 {
			t.Errorf("%s: %v ns a call of 3 ms", name, r.Time)
		}
	}
	if r := Idle(new(inPlace), Extent{N: 21}); r.Time > 1e6 {
		t.Errorf("idle: %v ns a call of nothing", r.Time)
	}
}

func TestContendedCallersAreThereAtOnce(t *testing.T) {
	const callers = 16
	var all sync.WaitGroup
	all.Add(callers)
	s := inPlace{do: func() { all.Done(); all.Wait() }}
	Contended(callers)(&s, Extent{N: callers})
}

func TestNestedCallsFromTheThread(t *testing.T) {
	depth, deepest := 0, 0
	s := reentrant(func(f func()) {
		depth++
		deepest = max(deepest, depth)
		f()
		depth--
	})
	if Nested(s, Extent{N: 10}); deepest != 2 {
		t.Errorf("%d calls deep, want 2", deepest)
	}
}

type reentrant func(f func())

func (r reentrant) Call(f func()) bool { r(f); return true }
func (r reentrant) Go(f func()) bool   { panic("not used") }

func TestBusySeesWhatIsLost(t *testing.T) {
	needsPreemption(t)
	s := inPlace{do: func() { // for each goroutine whose computing counts there are nine others for a while
		var others sync.WaitGroup
		for range 9 * runtime.GOMAXPROCS(0) {
			others.Go(func() {
				for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
				}
			})
		}
		others.Wait()
	}}
	var r Result
	for range 5 { // other processes may take what is compared
		if r = Busy(&s, Extent{N: 5}); r.Lost >= 0.3 && r.Lost <= 1 {
			return
		}
	}
	t.Errorf("lost %v", r.Lost)
}

func TestP99(t *testing.T) {
	var r Result
	if r.P99() != 0 {
		t.Error("a P99 of nothing")
	}
	for i := range 1000 {
		r.Latencies = append(r.Latencies, time.Duration(i))
	}
	if got := r.P99(); got != 990 {
		t.Errorf("990 of 0 to 999 are below it, but it is %v", got)
	}
}

func TestFloor(t *testing.T) {
	r, ok := Floor(Extent{N: 1000})
	if can := runtime.NumCPU() > 1 && runtime.GOMAXPROCS(0) > 1; ok != can || ok && (r.Ops != 1000 || r.Time <= 0) {
		t.Errorf("%+v, %v", r, ok)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, ok := Floor(Extent{N: 1000}); ok {
		t.Error("two threads ran at once on one P")
	}
}

func TestCPUTimeGrowsByWhatIsComputed(t *testing.T) {
	if CPUTime() == 0 {
		t.Skip("cannot be told")
	}
	cpu := CPUTime()
	for start := time.Now(); time.Since(start) < 10*time.Millisecond || CPUTime()-cpu < 10*time.Millisecond; {
		if time.Since(start) > 10*time.Second {
			t.Fatal("ten seconds of computing, but CPUTime has not grown by 10 ms")
		}
		compute()
	}
	cpu = CPUTime()
	time.Sleep(100 * time.Millisecond)
	if slept := CPUTime() - cpu; slept > 50*time.Millisecond {
		t.Errorf("it grew by %v in 100 ms of sleep", slept)
	}
}

func TestNeighboursEndWithStop(t *testing.T) {
	needsProcesses(t)
	stop, err := StartNeighbours()
	if err != nil {
		t.Fatal(err)
	}
	stop()
	stop()
}

const parent = "THREADCALL_TEST_PARENT"

func beParent() {
	if _, err := StartNeighbours(); err != nil {
		panic(err)
	}
	os.Stdout.WriteString("\n")
	select {}
}

func TestNeighboursDieWithTheirParent(t *testing.T) {
	needsProcesses(t)
	alive, w, err := os.Pipe() // has an end while one of them lives
	if err != nil {
		t.Fatal(err)
	}
	c, err := self.Command()
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(os.Environ(), parent+"=1")
	c.Stderr = w
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := bufio.NewReader(stdout).ReadByte(); err != nil {
		t.Fatal(err)
	}
	c.Process.Kill()
	c.Wait()
	ended := make(chan bool)
	go func() {
		io.Copy(io.Discard, alive)
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("they still compute")
	}
}
