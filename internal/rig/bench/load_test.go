package bench

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

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
		run        Load
		n          int
		calls, gos int64
		latencies  int
	}{
		{name: "hot", run: Hot, n: 250, calls: 250, latencies: 3},
		{name: "idle", run: Idle, n: 10, calls: 10, latencies: 10},
		{name: "burst", run: Burst, n: 3, calls: 600, latencies: 3},
		{name: "contended by few", run: Contended(16), n: 1000, calls: 1000, latencies: 16},
		{name: "contended by more than calls", run: Contended(16), n: 5, calls: 5, latencies: 1},
		{name: "post", run: Post, n: 2500, calls: 1, gos: 2500},
		{name: "frame", run: Frame, n: 120, calls: 120, latencies: 120},
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
	r, ok := Bound(1000)
	if can := runtime.NumCPU() > 1 && runtime.GOMAXPROCS(0) > 1; ok != can || ok &&
		(r.Ops != 1000 || r.Time <= 0) {
		t.Errorf("%+v, %v", r, ok)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, ok := Bound(1000); ok {
		t.Error("two threads ran at once on one P")
	}
}

func TestLoneBound(t *testing.T) {
	r, ok := LoneBound(5)
	if ok && (r.Ops != 5 || r.Time <= 0 || len(r.Latencies) != 5) || !ok &&
		runtime.GOOS == "linux" && preemptible() {
		t.Errorf("%+v, %v", r, ok)
	}
}
