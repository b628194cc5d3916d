package app_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// endings are what the function given to mainthread.Init does in place of calling Terminate.
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

func TestInit_withoutTerminate(t *testing.T) {
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
