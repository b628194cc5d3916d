package read

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var kept [][]byte

func TestAHeapThatGrows(t *testing.T) {
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
	if r.GC.Cycles != cycles {
		t.Errorf("%d collections, want %d", r.GC.Cycles, cycles)
	}
	if n := r.GC.Mark.N; n != cycles || len(r.GC.Longest) != cycles || r.GC.Workers <= 0 {
		t.Errorf("%d mark phases, %d listed, workers ran %v", n, len(r.GC.Longest), r.GC.Workers)
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
	if want := (cycles - 1) * chunk / r.Trace.Duration.Minutes(); h.Lows.Growth < want/2 {
		t.Errorf("%.0f bytes a minute, and it grows for at most the whole %v by at least %.0f", h.Lows.Growth,
			r.Trace.Duration, want)
	}
	if h.Lows.Growth-2*h.Lows.Error < 0 {
		t.Errorf("does not see that it grows: %+v", h.Lows)
	}
	most := 0.0
	for _, p := range h.Allocated.Points {
		most = max(most, p.Max)
	}
	if most != float64(h.Peak) {
		t.Errorf("the series peaks at %.0f, the heap at %d", most, h.Peak)
	}
}

func TestTheWorldIsStoppedAsOftenAsAskedFor(t *testing.T) {
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
		"GC mark termination": collections, "GC sweep termination": collections, "read mem stats": readings,
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
	if a := r.Stops.All; a.N != all || a.Sum != in || a.Max != longest || uint64(len(r.Stops.Longest)) != all {
		t.Errorf("all: %+v; of the reasons: %d, %v, %v", a, all, in, longest)
	}
	if r.Table.STW != time.Duration(in) {
		t.Errorf("table: %v", r.Table.STW)
	}
}
