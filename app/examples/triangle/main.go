// Command triangle turns a triangle and shows how long the frames take: as a graph in the window, one bar a frame, and
// once a second in the title. Space stops the triangle, and Escape the program.
//
//	go run ./app/examples/triangle
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

var (
	duration = flag.Duration("d", 0, "close the window after this `time`; 0 leaves that to you")
	noVSync  = flag.Bool("fast", false, "do not wait for the monitor")
)

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

	options := []app.Option{app.Title("triangle"), app.Size(800, 600), app.Samples(4)}
	if *noVSync {
		options = append(options, app.NoVSync())
	}
	w, err := app.NewWindow(options...)
	if err != nil {
		return err
	}
	var s *scene
	w.Thread().Call(func() { s, err = newScene() }) // OpenGL is called on the window's thread only
	if err != nil {
		return err
	}

	var paused atomic.Bool
	var count counter
	w.OnDraw(func(f *app.Frame) {
		if !paused.Load() {
			s.angle += f.Delta.Seconds()
		}
		s.graph.add(f.Delta)
		s.draw(f)
		if fps, longest, ok := count.frame(f); ok {
			w.SetTitle(fmt.Sprintf("triangle: %.1f frames a second, the longest %.1f ms", fps, 1e3*longest.Seconds()))
		}
	})
	w.OnEvent(func(e app.Event) {
		k, ok := e.(*app.KeyEvent)
		if !ok || k.Action != app.Press {
			return
		}
		switch k.Key {
		case app.KeySpace:
			paused.Store(!paused.Load())
		case app.KeyEscape:
			w.Stop()
		}
	})
	if *duration > 0 {
		time.AfterFunc(*duration, w.Stop)
	}
	w.Run()
	return nil
}

// A counter counts the frames of a second.
type counter struct {
	since   time.Duration
	frames  int
	longest time.Duration
}

// frame counts f. Once a second ok is true, and the others are of the second that is over.
func (c *counter) frame(f *app.Frame) (fps float64, longest time.Duration, ok bool) {
	c.frames++
	c.longest = max(c.longest, f.Delta)
	past := f.Time - c.since
	if past < time.Second {
		return 0, 0, false
	}
	fps, longest = float64(c.frames)/past.Seconds(), c.longest
	*c = counter{since: f.Time}
	return fps, longest, true
}
