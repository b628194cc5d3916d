package app_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

var errTest = errors.New("a value of its own")

func TestInit_mayFollowTerminate(t *testing.T) {
	notInitialized := func(when string) {
		t.Helper()
		_, window := app.NewWindow()
		_, clipboard := app.Clipboard()
		for what, err := range map[string]error{"NewWindow": window, "Clipboard": clipboard,
			"SetClipboard": app.SetClipboard("x")} {
			if err != app.ErrNotInitialized {
				t.Errorf("%s %s: %v", what, when, err)
			}
		}
	}
	app.Terminate()
	notInitialized("before Init")
	mainthread.Call(func() {
		if err := app.Init(); err == nil || !strings.Contains(err.Error(), "main thread") {
			t.Errorf("Init on the main thread: %v", err)
		}
		app.Terminate() // without Init it does nothing
	})
	for range 3 {
		screen.Must(t, app.Init())
		screen.Must(t, app.Init())
		w, err := app.NewWindow()
		screen.Must(t, err)
		app.Terminate()
		app.Terminate()
		w.Run() // Terminate has closed the window
		notInitialized("after Terminate")
		if !mainthread.Call(func() {}) {
			t.Fatal("no main thread after Terminate")
		}
	}
}

// The next Init may come before the loop of the last one has ended, and Terminate while windows are
// made.
func TestTerminate_isSafeForConcurrentUse(t *testing.T) {
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for range 10 {
				if err := app.Init(); err != nil {
					t.Error(err)
				}
				if w, err := app.NewWindow(app.Hidden()); err == nil {
					time.AfterFunc(5*time.Millisecond, w.Stop)
					w.Run()
				} else if err != app.ErrNotInitialized {
					t.Error(err)
				}
				if i%2 == 0 {
					app.Terminate()
				}
			}
		})
	}
	all.Wait()
	app.Terminate()
	_, c := show(t)
	c.goesOn(t, 3, "frames after many Init and Terminate")
}

// handlers are where a window runs functions of the program, with the options for that.
var handlers = map[string][]app.Option{
	"OnDraw":                    nil,
	"OnEvent":                   nil,
	"EventsOnDraw":              {app.EventsOnDraw()},
	"EventsOnDraw and OnDemand": {app.EventsOnDraw(), app.OnDemand},
}

// openWith makes a window that calls f there.
func openWith(t *testing.T, where string, f func()) *app.Window {
	w := open(t, handlers[where]...)
	if where == "OnDraw" {
		w.OnDraw(func(*app.Frame) { f() })
	} else {
		w.OnEvent(func(app.Event) { f() })
		w.SetSize(300, 300)
	}
	return w
}

// Terminate panics where it would wait for its caller, and all goes on.
func TestTerminate_panicsWhereItWouldWaitForItself(t *testing.T) {
	refused := func(where, with string, try func(t *testing.T)) {
		t.Run(where, func(t *testing.T) {
			_, other := show(t)
			testutil.MustPanic(t, func() { try(t) }, with)
			other.goesOn(t, 2, "frames of another window")
			if _, err := app.NewWindow(app.Hidden()); err != nil {
				t.Errorf("NewWindow: %v", err)
			}
		})
	}
	for where := range handlers {
		refused(where, "call Stop there", func(t *testing.T) {
			openWith(t, where, app.Terminate).Run()
		})
	}
	refused("Thread", "call Stop there", func(t *testing.T) {
		open(t).Thread().Call(app.Terminate)
	})
	refused("main thread", "event loop", func(*testing.T) { mainthread.Call(app.Terminate) })
	refused("Wait", "call Stop there", func(t *testing.T) { open(t).Thread().Call(app.Wait) })
	refused("Wait on the main thread", "event loop", func(*testing.T) { mainthread.Call(app.Wait) })
	t.Run("while another Terminate waits", func(t *testing.T) {
		for _, f := range []func(){app.Terminate, app.Wait} {
			w, _ := show(t)
			gate := testutil.Occupy(t, w.Thread().Go)
			ended := make(chan struct{})
			go func() { app.Terminate(); close(ended) }()
			inside := make(chan any, 1)
			w.Thread().Go(func() { defer func() { inside <- recover() }(); f() })
			gate.Open()
			if testutil.Arrives(t, inside) == nil {
				t.Error("it has waited for itself")
			}
			<-ended
		}
	})
}

func TestStop_endsRun(t *testing.T) {
	const many = 1 << 30
	for _, test := range []struct {
		name           string
		stop           func(w *app.Window) // before Run
		frames, events int                 // at most
	}{
		{"before Run", (*app.Window).Stop, 0, 0},
		{"OnDraw", nil, 1, many},
		{"OnEvent", nil, many, 1},
		{"main thread", func(w *app.Window) { go mainthread.Call(w.Stop) }, many, many},
		{"many goroutines", func(w *app.Window) {
			for range 50 {
				go w.Stop()
			}
		}, many, many},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := open(t)
			frames, events := 0, 0
			w.OnDraw(func(*app.Frame) {
				if frames++; test.name == "OnDraw" {
					w.Stop()
				}
			})
			w.OnEvent(func(app.Event) {
				if events++; test.name == "OnEvent" {
					w.Stop()
				}
			})
			for i := range 5 {
				w.SetSize(300+i, 300)
			}
			if test.stop != nil {
				test.stop(w)
			}
			w.Run()
			if frames > test.frames || events > test.events {
				t.Errorf("%d frames and %d events, want at most %d and %d", frames, events,
					test.frames, test.events)
			}
		})
	}
}

// What ends the functions of a window ends Run in the same way, and closes the window.
func TestRun_panicsAsTheFunctionHas(t *testing.T) {
	for where := range handlers {
		for name, end := range map[string]func(){
			"value":  func() { panic(errTest) },
			"nil":    func() { panic(nil) }, //nolint:govet // what is tested
			"Goexit": runtime.Goexit,
		} {
			t.Run(where+"/"+name, func(t *testing.T) {
				w := openWith(t, where, end)
				var value any
				returned := false
				var run sync.WaitGroup
				run.Go(func() {
					defer func() { value = recover() }()
					w.Run()
					returned = true
				})
				run.Wait()
				<-w.Done()
				var null *runtime.PanicNilError
				err, _ := value.(error)
				if returned || (err == errTest) != (name == "value") ||
					errors.As(err, &null) != (name == "nil") {
					t.Errorf("Run returned: %v; it panicked with %v", returned, value)
				}
			})
		}
	}
}

func TestWindow_refusesCallsWhenClosed(t *testing.T) {
	w, c := show(t)
	change(w)
	c.goesOn(t, 3, "frames after all changes")
	windows := runtime.GOOS == "windows" // leaves room for the buttons in the title
	testutil.Eventually(t, func() bool {
		w.SetSize(-5, 0) // again: Wine puts back the size of which the window manager tells it late
		width, height := w.Size()
		return height == 1 && (width == 1 || windows)
	}, "the least size")
	testutil.MustPanic(t, w.Run, "runs already")
	testutil.MustPanic(t, func() { mainthread.Call(open(t).Run) }, "main thread")
	w.Stop()
	<-w.Done()
	w.Run() // returns at once
	w.OnDraw(func(*app.Frame) { t.Error("a frame of a closed window") })
	w.OnEvent(func(app.Event) { t.Error("an event of a closed window") })
	change(w)
	w.Redraw()
	w.Stop()
	w.Run()
	if width, height := w.Size(); width != 0 || height != 0 {
		t.Errorf("the size is %d, %d", width, height)
	}
	if _, err := w.Screenshot(); err != app.ErrClosed {
		t.Errorf("Screenshot: %v", err)
	}
	if w.Thread().Call(func() {}) {
		t.Error("the window's thread still runs functions")
	}
}
