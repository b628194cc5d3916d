package app_test

import (
	"math"
	"sync"
	"testing"
	"time"

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

// All settings at once, from many goroutines, while the window draws, and when it closes; then frames go on as they are set.
func TestWindow_settings_concurrent(t *testing.T) {
	w, c := show(t)
	var all sync.WaitGroup
	for _, f := range []func(i int){
		func(i int) { w.SetFrameRate(float64(i % 200)) },
		func(i int) { w.SetVSync(i%2 == 0) },
		func(i int) { w.SetOnDemand(i%2 == 0) },
		func(i int) { w.Redraw() },
		func(i int) { w.OnStep(time.Millisecond, func() {}); w.OnStep(0, nil) },
	} {
		all.Go(func() {
			for i := range 500 {
				f(i)
			}
		})
	}
	all.Wait()
	w.SetFrameRate(0)
	w.SetOnDemand(false)
	c.goesOn(t, 10, "frames after all changes")
	w.SetOnDemand(true)
	c.steady(t)
	w.Stop()
	<-w.Done()
	w.SetFrameRate(1)
	w.SetVSync(true)
	w.SetOnDemand(false)
}
