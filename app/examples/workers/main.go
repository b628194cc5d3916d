// Command workers has as many goroutines as there are processors compute the Mandelbrot set, tile by tile, and shows
// each tile as soon as it is there. The goroutines hand their tiles to the window's thread, and set the title.
//
//	go run ./app/examples/workers
//
// A click zooms in on the place, a click with the right button zooms out, the wheel does both, R shows the whole set
// again, and Escape ends the program. What is being computed is given up when something else is wanted.
package main

import (
	"flag"
	"log"
	"os"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

var duration = flag.Duration("d", 0, "close the window after this `time`; 0 leaves that to you")

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
	var c *canvas
	w.Thread().Call(func() { c, err = newCanvas(w) })
	if err != nil {
		return err
	}
	w.OnDraw(c.draw)

	team := newTeam(c)
	defer team.stop()
	sight := whole
	width, height := w.Size()
	var mouse app.MouseMoveEvent
	team.compute(sight, width, height)
	zoom := func(factor float64) {
		sight = sight.zoom(factor, mouse.X/float64(max(width, 1)), mouse.Y/float64(max(height, 1)), width, height)
		team.compute(sight, width, height)
	}
	w.OnEvent(func(e app.Event) {
		switch e := e.(type) {
		case *app.MouseMoveEvent:
			mouse = *e
		case *app.MouseButtonEvent:
			switch {
			case e.Action != app.Press:
			case e.Button == app.MouseLeft:
				zoom(0.5)
			case e.Button == app.MouseRight:
				zoom(2)
			}
		case *app.ScrollEvent:
			if e.DY > 0 {
				zoom(0.8)
			} else if e.DY < 0 {
				zoom(1.25)
			}
		case *app.ResizeEvent:
			width, height = e.ScreenWidth, e.ScreenHeight
			team.compute(sight, width, height)
		case *app.KeyEvent:
			switch {
			case e.Action != app.Press:
			case e.Key == app.KeyR:
				sight = whole
				team.compute(sight, width, height)
			case e.Key == app.KeyEscape:
				w.Stop()
			}
		}
	})
	if *duration > 0 {
		time.AfterFunc(*duration, w.Stop)
	}
	w.Run()
	return nil
}
