// Command workers computes the Mandelbrot set, tile by tile, on as many goroutines as there are processors, and shows
// each tile as soon as it has been computed. The goroutines call the window's thread.
//
//	go run ./app/examples/workers
//
// A click zooms in on the place, a click with the right button zooms out, R shows the whole set again, and Escape ends
// the program. Each of them ends the job before.
package main

import (
	"flag"
	"log"
	"os"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
	"github.com/threadcall/threadcall/mainthread"
)

var duration = flag.Duration("d", 0, "close the window after this `time`; 0 leaves it open")

func main() {
	flag.Parse()
	mainthread.Init(func() {
		if err := run(); err != nil {
			log.Print(err)
			os.Exit(1)
		}
	})
}

func run() error {
	if err := app.Init(); err != nil {
		return err
	}
	defer app.Terminate()
	w, err := app.NewWindow(app.Title("workers"), app.Size(960, 640), app.OnDemand())
	if err != nil {
		return err
	}
	c := &canvas{win: w}
	w.Thread().Call(func() { c.picture, err = gpu.NewPicture() })
	if err != nil {
		return err
	}
	w.OnDraw(func(*app.Frame) {
		gl.Clear(gl.COLOR_BUFFER_BIT)
		c.picture.Draw(1, 1)
	})
	defer c.stop()
	sight := whole
	width, height := w.Size()
	c.begin(sight, width, height)
	w.OnEvent(func(e app.Event) {
		switch e := e.(type) {
		case *app.MouseButtonEvent:
			factor := 0.5
			if e.Button == app.MouseRight {
				factor = 2
			}
			if e.Action != app.Press {
				return
			}
			sight = sight.zoom(factor, e.X/float64(width), e.Y/float64(height), width, height)
		case *app.ResizeEvent:
			width, height = e.ScreenWidth, e.ScreenHeight
		case *app.KeyEvent:
			if e.Key == app.KeyEscape {
				w.Stop()
			}
			if e.Key != app.KeyR || e.Action != app.Press {
				return
			}
			sight = whole
		default:
			return
		}
		c.begin(sight, width, height)
	})
	if *duration > 0 {
		time.AfterFunc(*duration, w.Stop)
	}
	w.Run()
	return nil
}
