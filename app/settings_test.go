package app_test

import (
	"math"
	"testing"

	"github.com/threadcall/threadcall/app"
)

// A frame that would come in a quarter of an hour comes at once after the rate has been raised.
func TestWindow_SetFrameRate(t *testing.T) {
	w, c := show(t, app.FrameRate(0.001))
	c.steady(t)
	for _, rate := range []float64{0, 100, math.NaN(), -1, math.Inf(1)} {
		w.SetFrameRate(rate)
		c.goesOn(t, 5, "frames at a higher rate")
		w.SetFrameRate(1e-9) // the least is 0.001
		c.steady(t)
	}
}

func TestWindow_SetOnDemand(t *testing.T) {
	w, c := show(t)
	for range 3 {
		w.SetOnDemand(true)
		n := c.steady(t)
		w.Redraw()
		c.exceeds(t, n, "a frame after Redraw")
		c.steady(t)
		w.SetOnDemand(false)
		c.goesOn(t, 5, "frames")
	}
}

// Without vsync, the rate alone limits frames.
func TestWindow_SetVSync(t *testing.T) {
	w, c := show(t)
	for range 3 {
		w.SetVSync(false)
		c.goesOn(t, 20, "frames without vsync")
		w.SetVSync(true)
		c.goesOn(t, 5, "frames with vsync")
	}
}
