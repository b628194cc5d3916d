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
	if h.Lows.N != cycles || h.Lows.Rises != cycles-1 {
		t.Fatalf("lows: %+v", h.Lows)
	}
	near("from low to low", float64(h.Lows.Last)-float64(h.Lows.First), (cycles-1)*chunk)
	near("the peak above the last low", float64(h.Peak)-float64(h.Lows.Last), chunk)
	near("the last value", float64(h.Last), float64(h.Lows.Last))
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
