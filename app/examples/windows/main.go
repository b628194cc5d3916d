// Command windows is the program of the article "Scheduling Function Calls with Zero Allocation":
// it opens two windows and shows colours that change in each. -run says how many windows, -trace
// writes an execution trace, in which the heap can be seen, and -d closes them after a while.
//
//	go run ./app/examples/windows -run 2 -trace trace.out -d 6m
//	go tool trace trace.out
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/trace"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
)

var (
	count     = flag.Int("run", 2, "how many `windows` to open")
	traceFile = flag.String("trace", "", "write an execution trace to `FILE`, for go tool trace")
	duration  = flag.Duration("d", 0, "close the windows after this `time`; 0 leaves them open")
)

func main() {
	flag.Parse()
	if *count < 1 {
		log.Fatalf("-run %d: at least one window", *count)
	}
	app.Main(run)
}

func run() error {
	if *traceFile == "" {
		return show()
	}
	f, err := os.Create(*traceFile)
	if err != nil {
		return err
	}
	if err := trace.Start(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = show()
	trace.Stop()
	return errors.Join(err, f.Close())
}

// show shows the windows until they are closed.
func show() error {
	var windows []*app.Window
	for i := range *count {
		w, err := app.NewWindow(app.Title(fmt.Sprintf("window %d", i+1)), app.Size(480, 360),
			app.OpenGL(3, 3, gl.Init), app.Pace(30), app.Hints(func() {
				glfw.WindowHint(glfw.PositionX, 40+500*(i%3))
				glfw.WindowHint(glfw.PositionY, 80+60*(i/3))
			}))
		if err != nil {
			return err
		}
		var s *silk
		// OpenGL is called on the window's thread only
		w.Thread().Call(func() { s, err = newSilk(i) })
		if err != nil {
			return err
		}
		w.OnDraw(s.draw)
		windows = append(windows, w)
	}
	if *duration > 0 {
		time.AfterFunc(*duration, func() {
			for _, w := range windows {
				w.Stop()
			}
		})
	}
	for _, w := range windows {
		go w.Run()
	}
	app.Wait()
	return nil
}
