// Command windows opens two windows, as the article "Scheduling Function Calls with Zero Allocation" did, and shows a
// colour that changes in each. With -run N it opens N windows; with -trace it writes an execution trace, and -d ends it
// after a while.
//
//	go run ./app/examples/windows -run 2 -trace trace.out -d 30s
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"runtime/trace"
	"sync"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

var (
	count     = flag.Int("run", 2, "how many `windows` to open")
	traceFile = flag.String("trace", "", "write an execution trace to `FILE`, for go tool trace")
	duration  = flag.Duration("d", 0, "close the windows after this `time`; 0 leaves that to you")
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
	if *traceFile != "" {
		f, err := os.Create(*traceFile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := trace.Start(f); err != nil {
			return err
		}
		defer trace.Stop()
	}
	if err := app.Init(); err != nil {
		return err
	}
	defer app.Terminate()

	var windows []*app.Win
	for i := range *count {
		w, err := app.NewWindow(app.Title(fmt.Sprintf("window %d", i+1)), app.FrameRate(30))
		if err != nil {
			return err
		}
		w.SetPosition(60+700*i, 80)
		w.OnDraw(func(f *app.Frame) { breathe(f, i) })
		windows = append(windows, w)
	}
	if *duration > 0 {
		time.AfterFunc(*duration, func() {
			for _, w := range windows {
				w.Stop()
			}
		})
	}
	var all sync.WaitGroup
	for _, w := range windows {
		all.Go(w.Run)
	}
	all.Wait()
	return nil
}

// breathe fills the window with a colour that changes with time.
func breathe(f *app.Frame, window int) {
	t := f.Time.Seconds() + 2*float64(window)
	c := func(phase float64) float32 { return float32(0.5 + 0.4*math.Sin(t+phase)) }
	gl.ClearColor(c(0), c(2), c(4), 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
}
