package bench

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A load is one way to load a Subject, by n operations.
type load func(s compare.Subject, n int) compare.Result

// single times n single operations, with something before each that does not count; its argument
// is how many operations there have been. Time is their median. CPU has what comes before as well.
func single(n int, before func(i int), op func()) compare.Result {
	latencies := make([]time.Duration, n)
	r := compare.Measure(func() int {
		for i := range latencies {
			before(i)
			start := time.Now()
			op()
			latencies[i] = time.Since(start)
		}
		return n
	})
	slices.Sort(latencies)
	r.Latencies = latencies
	r.Time = r.Quantile(50)
	return r
}

// lone is a call after a pause, again and again. An operation is a call; Time is the median.
func lone(pause time.Duration) load {
	return func(s compare.Subject, n int) compare.Result {
		return single(n, func(int) { time.Sleep(pause) }, func() { s.Call(nop) })
	}
}

const idlePause = 2 * time.Millisecond

// idle is a lone call after a pause of 2 ms.
func idle(s compare.Subject, n int) compare.Result { return lone(idlePause)(s, n) }

// burst is what a frame of a game does: 200 calls, then a pause of 4 ms. An operation is 200 calls;
// Time is the median.
func burst(s compare.Subject, n int) compare.Result {
	return single(n, func(int) { time.Sleep(4 * time.Millisecond) }, func() {
		for range 200 {
			s.Call(nop)
		}
	})
}

// frame is what a frame does that computes for its calls: 50 times some 10 µs of its own work and a
// call, then a pause of 16 ms. An operation is a call, without the work; Time is the median.
func frame(s compare.Subject, n int) compare.Result {
	return single(n, func(i int) {
		if i%50 == 0 {
			time.Sleep(16 * time.Millisecond)
		}
		compute(10)
	}, func() { s.Call(nop) })
}

// contended is as many goroutines as given, all calling one thread in closed loops.
func contended(goroutines int) load {
	return func(s compare.Subject, n int) compare.Result {
		return inPairs(slices.Repeat([]compare.Subject{s}, goroutines), n)
	}
}

// inPairs is a goroutine for each thread, which calls it in a closed loop. An operation is a call;
// Time is the mean of the time between the ends of two calls, of any goroutines. One call in 64 of
// each goroutine is timed.
func inPairs(threads []compare.Subject, n int) compare.Result {
	goroutines := len(threads)
	latencies := make([][]time.Duration, goroutines)
	r := compare.Measure(func() int {
		var callers testutil.Group
		for i, s := range threads {
			share := n / goroutines
			if i < n%goroutines {
				share++
			}
			callers.Go(func() {
				timed := make([]time.Duration, 0, share/64+1)
				for k := range share {
					if k%64 != i%64 {
						s.Call(nop)
						continue
					}
					start := time.Now()
					s.Call(nop)
					timed = append(timed, time.Since(start))
				}
				latencies[i] = timed
			})
		}
		callers.Wait()
		return n
	})
	r.Latencies = slices.Concat(latencies...)
	slices.Sort(r.Latencies)
	return r
}

// posting is one goroutine that hands functions over by Go, as fast as it can. An operation is a
// function; Time is the mean, up to the moment at which the last one has run.
func posting(s compare.Subject, n int) compare.Result {
	return compare.Measure(func() int {
		for range n {
			s.Go(nop)
		}
		s.Call(nop)
		return n
	})
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
type inPlace struct{ calls, gos atomic.Int64 }

func (s *inPlace) Call(f func()) bool { s.calls.Add(1); f(); return true }
func (s *inPlace) Go(f func()) bool   { s.gos.Add(1); f(); return true }

func TestLoads(t *testing.T) {
	for _, test := range []struct {
		name       string
		run        load
		n          int
		calls, gos int64
		latencies  int
	}{
		{name: "hot", run: compare.Hot, n: 250, calls: 250, latencies: 3},
		{name: "idle", run: idle, n: 10, calls: 10, latencies: 10},
		{name: "burst", run: burst, n: 3, calls: 600, latencies: 3},
		{name: "contended by few", run: contended(16), n: 1000, calls: 1000, latencies: 16},
		{name: "contended by more than calls", run: contended(16), n: 5, calls: 5, latencies: 1},
		{name: "post", run: posting, n: 2500, calls: 1, gos: 2500},
		{name: "frame", run: frame, n: 120, calls: 120, latencies: 120},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s inPlace
			r := test.run(&s, test.n)
			if s.calls.Load() != test.calls || s.gos.Load() != test.gos {
				t.Errorf("%d Call and %d Go, want %d and %d", s.calls.Load(), s.gos.Load(),
					test.calls, test.gos)
			}
			if r.Ops != test.n || r.Time < 0 || r.Time == 0 && !coarseClock {
				t.Errorf("%d operations of %v ns, want %d", r.Ops, r.Time, test.n)
			}
			if len(r.Latencies) != test.latencies || !slices.IsSorted(r.Latencies) {
				t.Errorf("latencies %v, want %d", r.Latencies, test.latencies)
			}
		})
	}
}

func TestBound(t *testing.T) {
	r, ok := compare.Bound(1000)
	if can := runtime.NumCPU() > 1 && runtime.GOMAXPROCS(0) > 1; ok != can || ok &&
		(r.Ops != 1000 || r.Time <= 0) {
		t.Errorf("%+v, %v", r, ok)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, ok := compare.Bound(1000); ok {
		t.Error("two threads ran at once on one P")
	}
}

func TestLoneBound(t *testing.T) {
	r, ok := loneBound(5)
	if ok && (r.Ops != 5 || r.Time <= 0 || len(r.Latencies) != 5) || !ok &&
		runtime.GOOS == "linux" && preemptible() {
		t.Errorf("%+v, %v", r, ok)
	}
}

// preemptible is whether the runtime stops threads by a signal, which a thread that blocks and
// keeps its P needs.
func preemptible() bool { return !strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") }
