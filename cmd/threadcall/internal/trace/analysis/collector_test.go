package analysis

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

var kept [][]byte

func TestTrace_heap(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func() { kept = nil }()
	const cycles, chunk = 8, 4 << 20
	runtime.GC()
	r := analyse(t, func() {
		for range cycles {
			kept = append(kept, make([]byte, chunk))
			_ = make([]byte, chunk+len(kept)) // garbage
			runtime.GC()
		}
	})
	if g := r.GC; g.Cycles != cycles || g.Mark.N != cycles || len(g.Longest) != cycles ||
		g.Workers <= 0 {
		t.Errorf("%+v, want %d collections", g, cycles)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1<<20 {
			t.Errorf("%s: %.0f bytes, want %.0f", what, got, want)
		}
	}
	h := r.Heap
	if h.Lows == nil || h.Lows.N != cycles {
		t.Fatalf("lows: %+v", h.Lows)
	}
	near("from low to low", float64(h.Lows.Last)-float64(h.Lows.First), (cycles-1)*chunk)
	near("the peak above the last low", float64(h.Peak)-float64(h.Lows.Last), chunk)
	near("the last value", float64(h.Last), float64(h.Lows.Last))
	least := (cycles - 1) * chunk / r.Trace.Duration.Minutes() / 2
	if h.Lows.Growth < least || h.Lows.Growth < 2*h.Lows.Error {
		t.Errorf("%+v; want that it grows by at least %.0f bytes a minute", h.Lows, least)
	}
	most := 0.0
	for _, p := range h.Allocated.Points {
		most = max(most, p.Max)
	}
	if most != float64(h.Peak) {
		t.Errorf("the series peaks at %.0f, the heap at %d", most, h.Peak)
	}
}

func TestTrace_stops(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	const collections, readings = 3, 7
	r := analyse(t, func() {
		for range collections {
			runtime.GC()
		}
		for range readings {
			runtime.ReadMemStats(new(runtime.MemStats))
		}
	})
	want := map[string]uint64{
		"GC mark termination": collections, "GC sweep termination": collections,
		"read mem stats": readings,
	}
	var all uint64
	var in, longest float64
	for _, s := range r.Stops.Reasons {
		if n, ok := want[s.Reason]; ok && s.Times.N != n {
			t.Errorf("%s: %d times, want %d", s.Reason, s.Times.N, n)
		}
		delete(want, s.Reason)
		if !s.Own {
			all, in, longest = all+s.Times.N, in+s.Times.Sum, max(longest, s.Times.Max)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v in %+v", want, r.Stops.Reasons)
	}
	a := r.Stops.All
	if a.N != all || a.Sum != in || a.Max != longest || float64(r.Stops.Longest[0].Length) != longest {
		t.Errorf("all: %+v; of the reasons: %d, %v, %v", a, all, in, longest)
	}
	if r.Table.STW != time.Duration(in) {
		t.Errorf("table: %v", r.Table.STW)
	}
}

func TestTrace_assists(t *testing.T) {
	type node struct{ left, right *node }
	var tree func(depth int) *node
	tree = func(depth int) *node {
		if depth == 0 {
			return &node{}
		}
		return &node{tree(depth - 1), tree(depth - 1)}
	}
	r := analyse(t, func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 4 {
					tree(14)
				}
			})
		}
		all.Wait()
	})
	a := r.GC.Assist
	if a.N == 0 {
		t.Skip("no goroutine had to assist")
	}
	if a.Worked <= 0 || a.Worked > r.Waiting.Running {
		t.Errorf("%+v", a)
	}
	var n uint64
	for _, p := range a.Places {
		n += p.N
	}
	if n != a.N {
		t.Errorf("places have %d of %d assists", n, a.N)
	}
}
