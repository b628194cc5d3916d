// Command triangle turns a triangle. A graph below it has a bar for the time of each frame, and the
// title the number of frames a second. Space stops the triangle, and Escape ends the program.
//
//	go run ./app/examples/triangle
package main

import (
	"flag"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
)

var duration = flag.Duration("d", 0, "close the window after this `time`; 0 leaves it open")

func main() {
	flag.Parse()
	app.Main(run)
}

func run() error {
	w, err := app.NewWindow(app.Title("triangle"), app.Size(800, 600), app.OpenGL(3, 3, gl.Init),
		app.Hints(func() { glfw.WindowHint(glfw.Samples, 4) }))
	if err != nil {
		return err
	}
	var s *scene
	w.Thread().Call(func() { s, err = newScene() }) // OpenGL is called on the window's thread only
	if err != nil {
		return err
	}

	var paused atomic.Bool
	frames, since := 0, time.Duration(0)
	w.OnDraw(func(f *app.Frame) {
		if !paused.Load() {
			s.angle += f.Delta.Seconds()
		}
		s.draw(f)
		frames++
		if past := f.Time - since; past >= time.Second {
			w.SetTitle(fmt.Sprintf("triangle: %.1f frames a second",
				float64(frames)/past.Seconds()))
			frames, since = 0, f.Time
		}
	})
	w.OnEvent(func(e app.Event) {
		k, ok := e.(*app.KeyEvent)
		if !ok || k.Action != glfw.Press {
			return
		}
		switch k.Key {
		case glfw.KeySpace:
			paused.Store(!paused.Load())
		case glfw.KeyEscape:
			w.Stop()
		}
	})
	if *duration > 0 {
		time.AfterFunc(*duration, w.Stop)
	}
	w.Run()
	return nil
}
