package analysis

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
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

	// Each collection stops the world twice, and ReadMemStats once.
	if a := r.Stops.All; a.N < 3*cycles || a.Max != float64(r.Stops.Longest.Length) ||
		r.Stops.Why == "" {
		t.Errorf("stops %+v, want %d", r.Stops, 3*cycles)
	}
}
