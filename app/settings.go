package app

import (
	"math"
	"sync/atomic"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// settings are the options that may change while the window runs.
type settings struct {
	onDemand atomic.Bool
	noVSync  atomic.Bool
	rateBits atomic.Uint64
}

func (s *settings) init(o options) {
	s.onDemand.Store(o.onDemand)
	s.noVSync.Store(o.noVSync)
	s.setRate(o.rate)
}

// rate returns the limit of frames a second, or 0 for none.
func (s *settings) rate() float64 { return math.Float64frombits(s.rateBits.Load()) }

func (s *settings) setRate(n float64) { s.rateBits.Store(math.Float64bits(n)) }

// SetFrameRate changes what [FrameRate] sets, from the frame that is waited for on. Zero means no
// limit, and so does what is not a rate; the lowest rate is a frame in 1,000 seconds.
func (w *Win) SetFrameRate(n float64) {
	if !(n > 0) || math.IsInf(n, 0) {
		n = 0
	} else {
		n = max(n, leastRate)
	}
	w.setRate(n)
	w.thread.Go(w.reschedule)
}

// SetVSync changes whether frames wait for the monitor, which [NoVSync] sets.
func (w *Win) SetVSync(on bool) {
	w.noVSync.Store(!on)
	w.thread.Go(func() {
		w.setInterval()
		w.reschedule()
	})
}

// SetOnDemand changes whether frames are drawn only when they are requested, which [OnDemand] sets.
func (w *Win) SetOnDemand(on bool) {
	w.onDemand.Store(on)
	if !on && w.life.Load() == running {
		w.schedule()
	}
}

// setInterval runs on the window's thread. With Wayland the driver must not wait for the monitor:
// it would do so for ever while the window is not visible.
func (w *Win) setInterval() {
	if w.opts.noOpenGL || w.stopped.Load() {
		return
	}
	_ = guarded(func() error {
		if w.noVSync.Load() || state.wayland.Load() {
			glfw.SwapInterval(0)
		} else {
			glfw.SwapInterval(1)
		}
		return nil
	})
}
