package analysis

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var kept [][]byte

func TestTrace_collector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func() { kept = nil }()
	const cycles, chunk = 8, 4 << 20
	runtime.GC()
	r := analyse(t, func() {
		for range cycles {
			kept = append(kept, make([]byte, chunk))
			_ = make([]byte, chunk+len(kept)) // garbage
			runtime.GC()
			runtime.ReadMemStats(new(runtime.MemStats))
		}
	})
	if g := r.GC; g.Cycles != cycles || g.Mark.N != cycles || g.Workers <= 0 {
		t.Errorf("%+v, want %d collections", g, cycles)
	}
	h := r.Heap
	if grown := float64(h.Last) - float64(h.First); math.Abs(grown-cycles*chunk) > 1<<20 ||
		h.Peak < h.Last+chunk/2 {
		t.Errorf("%+v; want that it grows by %d", h, cycles*chunk)
	}
	most := 0.0
	for _, p := range h.Allocated.Points {
		most = max(most, p.Max)
	}
	if most != float64(h.Peak) {
		t.Errorf("the series peaks at %.0f, the heap at %d", most, h.Peak)
	}

	want := map[string]bool{"GC mark termination": true, "GC sweep termination": true,
		"read mem stats": true}
	var in, longest float64
	for _, s := range r.Stops.Reasons {
		if want[s.Reason] && s.Times.N == cycles {
			delete(want, s.Reason)
		}
		if !s.Own {
			in, longest = in+s.Times.Sum, max(longest, s.Times.Max)
		}
	}
	a := r.Stops.All
	if len(want) > 0 || a.Sum != in || a.Max != longest || r.Table.STW != time.Duration(in) ||
		float64(r.Stops.Longest[0].Length) != longest {
		t.Errorf("stops %+v, want %d of each of %v", r.Stops, cycles, want)
	}
}
