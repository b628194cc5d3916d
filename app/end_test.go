package app_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// endings are how programs end, most of them without Terminate: what the function given to
// mainthread.Init does after Init.
var endings = map[string]struct {
	run    func()
	status int
	want   string // in what the program writes
	not    string // which is not there
}{
	"it returns": {
		func() {},
		0, "main goes on", "app:",
	},
	"it returns, and windows are open": {
		func() { openWindow(); <-drawing(func() {}) },
		0, "while 2 windows were open", "goroutine",
	},
	"it returns, and OnDraw does not": {
		func() { <-drawing(func() { select {} }) },
		0, "main goes on", "goroutine",
	},
	"it calls Goexit": {
		func() { <-drawing(func() {}); runtime.Goexit() },
		0, "main goes on", "goroutine",
	},
	"it panics": {
		func() { <-drawing(func() {}); panic("a panic of run") },
		2, "a panic of run", "main goes on",
	},
	"OnDraw panics": { // the report of the crash shows where
		func() { w := openWindow(); w.OnDraw(func(*app.Frame) { aPlaceToPanic() }); w.Run() },
		2, "aPlaceToPanic", "main goes on",
	},
	"the main thread calls Goexit": { // it ends the caller, and the event loop goes on
		goexitOnMainThread,
		0, "the loop goes on", "goroutine",
	},
}

func init() {
	for name, ending := range endings {
		programs[name] = func() {
			mainthread.Init(func() {
				if err := app.Init(); err != nil {
					panic(err)
				}
				ending.run()
			})
			println("main goes on")
		}
	}
	programs["init after main"] = func() {
		mainthread.Init(func() {})
		done := make(chan error)
		go func() { done <- app.Init() }()
		err := <-done
		report(err)
		report(err)
	}
}

func aPlaceToPanic() { panic(errTest) }

func goexitOnMainThread() {
	for i := range 20 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			mainthread.Call(func() {
				if i%2 == 0 {
					mainthread.Call(runtime.Goexit)
				}
				runtime.Goexit()
			})
			panic("a Goexit did not reach its caller")
		}()
		<-done
		mainthread.Go(runtime.Goexit)
		time.Sleep(time.Duration(i) * time.Millisecond)
		if _, err := app.Monitors(); err != nil {
			panic(err)
		}
	}
	app.Terminate()
	println("the loop goes on")
}

func openWindow() *app.Win {
	w, err := app.NewWindow(app.Size(200, 150))
	if err != nil {
		panic(err)
	}
	return w
}

// drawing opens a window and runs it on a goroutine. It returns a channel that receives when a
// frame has begun, and then calls f.
func drawing(f func()) <-chan struct{} {
	drawn := make(chan struct{})
	w := openWindow()
	w.OnDraw(func(*app.Frame) {
		gl.Clear(gl.COLOR_BUFFER_BIT)
		select {
		case drawn <- struct{}{}:
			f()
		default:
		}
	})
	go w.Run()
	return drawn
}

func TestInit_end(t *testing.T) {
	for name, ending := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, status := testutil.Program(t, name)
			if status != ending.status || !strings.Contains(out, ending.want) ||
				strings.Contains(out, ending.not) && status == 0 {
				t.Errorf("status %d, want %d, %q, and not %q:\n%s", status, ending.status,
					ending.want, ending.not, out)
			}
		})
	}
}
