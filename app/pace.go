package app

import (
	"cmp"
	"math"
	"sync/atomic"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/thread"
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

// A frameClock decides when frames begin that follow each other:
//
//	Unlimited                     one after the other
//	VSync, and the driver waits   one after the other
//	VSync, and it does not        by a clock, at the monitor's rate
//	another Pace                  by a clock, at that rate
//
// The clock is [thread.Thread.Every]: a timer of the operating system for which the thread waits in
// the Go scheduler. A wait in C would keep a P for up to 10 ms each time.
//
// Only the window's thread uses it, but for refresh.
type frameClock struct {
	refresh atomic.Int64  // frames a second that the monitor shows; zero if it does not report that
	timer   *thread.Timer // posts frames, or nil
	rate    float64       // of the clock
	waits   bool          // the driver waits for vsync, it seems
	against int           // for so many frames it has seemed otherwise
}

const (
	usualRefresh = 60
	enough       = 4 // frames; a single one may be slow or fast for any reason
)

// begin runs when a frame begins that others are to follow.
func (c *frameClock) begin(w *Window) {
	rate := c.tickRate(w.pace())
	if c.timer != nil && rate == c.rate {
		return
	}
	c.stop()
	if rate > 0 {
		c.timer, c.rate = w.thread.Every(period(rate), w.drawTick), rate
	}
}

// again runs between two frames when the rate may have changed, and there is a clock. The next
// frame begins as long after the last one as it would have with the new rate: passed has passed
// since then. It reports whether that is now.
func (c *frameClock) again(w *Window, passed time.Duration) (now bool) {
	rate := c.tickRate(w.pace())
	if rate == c.rate {
		return false
	}
	c.stop()
	left := -time.Duration(1)
	if rate > 0 {
		left = period(rate) - passed
	}
	if left <= 0 {
		return true
	}
	c.timer, c.rate = w.thread.AfterFunc(left, w.drawTick), -1 // begin replaces it
	return false
}

// period returns the time between two frames, to the nanosecond: the error is less than a clock's.
func period(rate float64) time.Duration {
	return max(1, time.Duration(math.Round(float64(time.Second)/rate)))
}

func (c *frameClock) stop() {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// shown returns how many frames a second the monitor shows, as far as is known.
func (c *frameClock) shown() float64 {
	return float64(cmp.Or(c.refresh.Load(), usualRefresh))
}

// tickRate returns the rate at which a clock is to post frames, or zero.
func (c *frameClock) tickRate(p Pace) float64 {
	shown := c.shown()
	switch {
	case p >= Unlimited:
		return 0
	case p > 0 && float64(p) != shown:
		return float64(p)
	case c.waits:
		return 0
	}
	return shown
}

// swapped judges whether the driver waits for vsync, after a frame of which swap was the time in
// SwapBuffers. Without the clock, a driver that waits does so for most of a period, unless OnDraw
// is slow. With one that does not, a frame ends before its time.
func (c *frameClock) swapped(swap, frame time.Duration) {
	period := period(c.shown())
	seems := swap >= period*3/4
	if c.waits {
		seems = frame >= period*7/8
	}
	if seems == c.waits {
		c.against = 0
	} else if c.against++; c.against == enough {
		c.waits, c.against = seems, 0
	}
}
