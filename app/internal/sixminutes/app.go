package main

import (
	"fmt"
	"math"
	"sync"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
)

// appWindows shows the same windows by package app.
func appWindows(m *meter) error {
	if err := app.Init(); err != nil {
		return err
	}
	defer app.Terminate()
	var all sync.WaitGroup
	var open []*app.Win
	for i := range windows {
		w, err := app.NewWindow(app.Title(title(i)), app.Size(width, height), app.FrameRate(frameRate))
		if err != nil {
			return err
		}
		w.SetPosition(place(i))
		w.OnDraw(func(f *app.Frame) {
			breathe(f.Time.Seconds(), i)
			m.frames.Add(1)
		})
		open = append(open, w)
	}
	go func() {
		m.measure()
		for _, w := range open {
			w.Stop()
		}
	}()
	for _, w := range open {
		all.Go(w.Run)
	}
	all.Wait()
	return m.end()
}

func title(window int) string { return fmt.Sprintf("six minutes, window %d", window+1) }

func place(window int) (x, y int) { return 60 + (width+60)*window, 80 }

// breathe fills the window with a colour that changes with time.
func breathe(seconds float64, window int) {
	t := seconds + 2*float64(window)
	c := func(phase float64) float32 { return float32(0.5 + 0.4*math.Sin(t+phase)) }
	gl.ClearColor(c(0), c(2), c(4), 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
}
