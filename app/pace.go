package app

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// A Pace is how many frames a second a window draws, or a constant. It is an [Option]:
//
//	w, err := app.NewWindow(app.Pace(30))
//	w.SetPace(app.OnDemand)
//
// With a pace above what the monitor shows, drawing does not wait for the monitor, which may show
// parts of several frames at once. The slowest pace is a frame in 1,000 seconds. A pace below zero
// and not-a-number count as OnDemand, and one above Unlimited as that.
type Pace float64

const (
	OnDemand  Pace = -1  // after Redraw, a change of size, and the loss of what was drawn
	VSync     Pace = 0   // as many as the monitor shows; the package waits if the driver does not
	Unlimited Pace = 1e6 // one after the other
)

func (p Pace) apply(o *options) { o.pace = p }

type pacing struct{ bits atomic.Uint64 }

func (s *pacing) pace() Pace { return Pace(math.Float64frombits(s.bits.Load())) }

func (s *pacing) set(p Pace) (before Pace) {
	switch {
	case !(p >= 0): // or it is not a number
		p = OnDemand
	case p > 0:
		p = min(max(p, 1e-3), Unlimited)
	}
	return Pace(math.Float64frombits(s.bits.Swap(math.Float64bits(float64(p)))))
}

// SetPace changes the pace: a frame that would come later than by the new one comes now.
func (w *Window) SetPace(p Pace) {
	before := w.pacing.set(p)
	w.thread.Go(w.repace)
	if before == OnDemand && w.continuous() {
		w.request()
	}
}

// repace runs on the window's thread after the pace or the monitor has changed: the frame for which
// the clock waits gets a new time. With Wayland the driver must not wait for the monitor: it would
// do so for ever while the window is not visible.
func (w *Window) repace() {
	if w.stopped.Load() {
		return
	}
	if !w.opts.api.none() {
		interval := 1
		if float64(w.pace()) > w.ticks.shown() || state.wayland.Load() {
			interval = 0
		}
		_ = guarded(func() { glfw.SwapInterval(interval) })
	}
	if w.ticks.timer != nil && w.continuous() && // the next frame will begin the clock, or stop it
		w.ticks.again(w, time.Since(w.first)-w.frame.Time) {
		w.schedule()
	}
}
