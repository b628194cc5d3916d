//go:build !windows && !darwin

package app_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/app"
)

// Frames and events allocate nothing. What the runtime and the tests' own connection allocate is told apart by taking the
// allocations of frames without events, and of an idle program, too.
func TestFramesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	w, c := show(t, app.NoVSync())
	var moves atomic.Int64
	w.OnEvent(func(e app.Event) {
		if _, ok := e.(*app.MouseMoveEvent); ok {
			moves.Add(1)
		}
	})
	allocations := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.Mallocs
	}
	// measure returns the allocations during 300 frames. The least of a few, because the runtime allocates at times.
	measure := func(during func(), frames int64) (least uint64, drawn int64) {
		least = 1 << 60
		for range 5 {
			n, a := c.n.Load(), allocations()
			during()
			c.goesOn(t, frames, "frames")
			if a = allocations() - a; a < least {
				least, drawn = a, c.n.Load()-n
			}
		}
		return least, drawn
	}
	warm := func() {
		for i := range 20 {
			moveMouse(t, 10+i, 10)
		}
		c.goesOn(t, 20, "frames")
	}
	warm()
	least, drawn := measure(func() {}, 300)
	t.Logf("%d frames without events: %d allocations in all", drawn, least)
	if least > uint64(drawn)/10 {
		t.Errorf("%d frames allocated %d times", drawn, least)
	}

	// The X connection of the tests allocates for each request: measured with moves that no window gets.
	const n = 300
	w.SetPosition(0, 0)
	away := func() {
		for i := range n {
			moveMouse(t, 800+i, 600)
		}
	}
	over := func() {
		for i := range n {
			moveMouse(t, 10+i%100, 10+i/100)
		}
	}
	base, _ := measure(away, 50)
	before := moves.Load()
	with, drawn := measure(over, 50)
	got := moves.Load() - before
	t.Logf("%d moves: %d allocations with events, %d without; %d events came in 5 rounds, %d frames in the best", n, with, base, got, drawn)
	if got < 2*n {
		t.Errorf("of %d moves %d came", 5*n, got)
	}
	if with > base+n/10 {
		t.Errorf("%d moves allocated %d times, those that no window got %d times", n, with, base)
	}
}
