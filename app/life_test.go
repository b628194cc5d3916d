package app_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

func TestInitAndTerminate(t *testing.T) {
	ends(t, app.Terminate) // without Init
	if _, err := app.NewWindow(); err != app.ErrNotInitialized {
		t.Errorf("NewWindow before Init: %v", err)
	}
	if _, err := app.Monitors(); err != app.ErrNotInitialized {
		t.Errorf("Monitors before Init: %v", err)
	}
	if err := app.SetClipboard("x"); err != app.ErrNotInitialized {
		t.Errorf("SetClipboard before Init: %v", err)
	}
	mainthread.Call(func() {
		if err := app.Init(); err == nil || !strings.Contains(err.Error(), "main thread") {
			t.Errorf("Init on the main thread: %v", err)
		}
		app.Terminate() // does nothing, as anywhere
	})
	for range 3 {
		for range 2 {
			if err := app.Init(); err != nil {
				t.Fatal(err)
			}
		}
		w, err := app.NewWindow()
		if err != nil {
			t.Fatal(err)
		}
		ends(t, app.Terminate)
		ends(t, app.Terminate)
		ends(t, w.Run) // of a window that Terminate has closed
		if _, err := app.NewWindow(); err != app.ErrNotInitialized {
			t.Errorf("NewWindow after Terminate: %v", err)
		}
		if !mainthread.Call(func() {}) {
			t.Fatal("no main thread after Terminate")
		}
	}
}

// The next Init may come before the loop of the last one has ended.
func TestInitAndTerminateInQuickSuccession(t *testing.T) {
	stop := make(chan struct{})
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					mainthread.Call(func() {})
				}
			}
		})
	}
	ends(t, func() {
		for range 40 {
			if err := app.Init(); err != nil {
				t.Fatal(err)
			}
			app.Terminate()
		}
	})
	close(stop)
	ends(t, calls.Wait)
	w, _ := show(t)
	w.Stop()
	arrives(t, w.Done())
}

func TestManyInitAndTerminate(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 5 {
				if i%2 == 0 {
					if err := app.Init(); err != nil {
						t.Error(err)
					}
					if w, err := app.NewWindow(app.Hidden()); err == nil {
						w.Run()
					} else if err != app.ErrNotInitialized {
						t.Error(err)
					}
				} else {
					time.Sleep(5 * time.Millisecond)
					app.Terminate()
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for {
		select {
		case <-done:
			app.Terminate()
			return
		case <-time.After(20 * time.Millisecond):
			ends(t, app.Terminate) // so that the last windows do not run for ever
		}
	}
}

func TestTerminateEndsWindowsThatRun(t *testing.T) {
	var done []<-chan struct{}
	for range 3 {
		w, _ := show(t)
		c := make(chan struct{})
		go func() { <-w.Done(); close(c) }()
		done = append(done, c)
	}
	never := open(t) // one that nobody runs
	ends(t, app.Terminate)
	for _, c := range done {
		arrives(t, c)
	}
	arrives(t, never.Done())
}

func TestTerminateWhereItWouldWaitForItself(t *testing.T) {
	const advice = "call Stop there"
	t.Run("OnDraw", func(t *testing.T) {
		w := open(t)
		w.OnDraw(func(*app.Frame) { app.Terminate() })
		ends(t, func() { mustPanic(t, w.Run, advice) })
	})
	t.Run("OnEvent", func(t *testing.T) {
		w := open(t)
		w.OnEvent(func(app.Event) { app.Terminate() })
		w.SetSize(300, 300)
		ends(t, func() { mustPanic(t, w.Run, advice) })
	})
	t.Run("Thread", func(t *testing.T) {
		w, c := show(t)
		other, o := show(t)
		ends(t, func() { mustPanic(t, func() { w.Thread().Call(app.Terminate) }, advice) })
		c.goesOn(t, 2, "frames after Terminate has refused")
		o.goesOn(t, 2, "frames of another window after Terminate has refused")
		other.Stop()
		if w, err := app.NewWindow(); err != nil {
			t.Errorf("NewWindow after Terminate has refused: %v", err)
		} else {
			w.Stop()
		}
	})
	t.Run("main thread", func(t *testing.T) {
		_, c := show(t)
		ends(t, func() { mustPanic(t, func() { mainthread.Call(app.Terminate) }, "event loop") })
		c.goesOn(t, 2, "frames after Terminate has refused")
	})
}

func TestStop(t *testing.T) {
	t.Run("before Run", func(t *testing.T) {
		w := open(t)
		c := count(w, nil)
		w.Stop()
		ends(t, w.Run)
		if n := c.n.Load(); n > 0 {
			t.Errorf("%d frames", n)
		}
	})
	t.Run("in OnDraw", func(t *testing.T) {
		w := open(t)
		c := count(w, func(*app.Frame) { w.Stop() })
		ends(t, w.Run)
		if n := c.n.Load(); n != 1 {
			t.Errorf("%d frames, want one", n)
		}
	})
	t.Run("in OnEvent", func(t *testing.T) {
		w := open(t)
		n := 0
		w.OnEvent(func(app.Event) { n++; w.Stop() })
		for i := range 5 {
			w.SetSize(300+i, 300)
		}
		ends(t, w.Run)
		if n != 1 {
			t.Errorf("%d events, want one", n)
		}
	})
	t.Run("from many goroutines", func(t *testing.T) {
		w, _ := show(t)
		var all sync.WaitGroup
		for range 50 {
			all.Go(w.Stop)
		}
		ends(t, all.Wait)
		arrives(t, w.Done())
		w.Stop()
	})
	t.Run("on the main thread", func(t *testing.T) {
		w, _ := show(t)
		mainthread.Call(w.Stop)
		arrives(t, w.Done())
	})
}

func TestRunWhereItMayNot(t *testing.T) {
	w, _ := show(t)
	mustPanic(t, w.Run, "runs already")
	other := open(t)
	mustPanic(t, func() { mainthread.Call(other.Run) }, "main thread")
	w.Stop()
	arrives(t, w.Done())
	ends(t, w.Run) // after Run it returns at once
}

var errTest = errors.New("a value of its own")

func TestAPanicInOnDrawReachesRun(t *testing.T) {
	w := open(t)
	w.OnDraw(func(f *app.Frame) {
		if f.Number == 2 {
			panic(errTest)
		}
	})
	ends(t, func() {
		if v := recovered(w.Run); v != errTest {
			t.Errorf("Run panicked with %v", v)
		}
	})
	arrives(t, w.Done())
	other, _ := show(t) // and nothing else is lost
	other.Stop()
}

func TestAPanicOfNilInOnDraw(t *testing.T) {
	w := open(t)
	w.OnDraw(func(*app.Frame) { panic(nil) }) //nolint:govet // what is tested
	ends(t, func() {
		var e *runtime.PanicNilError
		if v, _ := recovered(w.Run).(error); !errors.As(v, &e) {
			t.Errorf("Run panicked with %v", v)
		}
	})
}

func TestGoexitInOnDrawEndsRunsGoroutine(t *testing.T) {
	w := open(t)
	w.OnDraw(func(*app.Frame) { runtime.Goexit() })
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run()
		returned = true
	}()
	arrives(t, done)
	if returned {
		t.Error("Run returned")
	}
	arrives(t, w.Done())
}

func TestAPanicOrGoexitInOnEvent(t *testing.T) {
	w := open(t)
	w.OnEvent(func(app.Event) { panic(errTest) })
	w.SetSize(300, 300)
	ends(t, func() {
		if v := recovered(w.Run); v != errTest {
			t.Errorf("Run panicked with %v", v)
		}
	})
	arrives(t, w.Done())

	w = open(t)
	w.OnEvent(func(app.Event) { runtime.Goexit() })
	w.SetSize(300, 300)
	done := make(chan struct{})
	go func() { defer close(done); w.Run() }()
	arrives(t, done)
	arrives(t, w.Done())
}

func TestAPanicInOnDrawTellsWhereItCameFrom(t *testing.T) {
	out, status := program(t, "draw panics")
	if status != 2 || !strings.Contains(out, "a value of its own") || !strings.Contains(out, "aPlaceToPanic") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func drawPanics() {
	mainthread.Init(func() {
		if err := app.Init(); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		w, err := app.NewWindow()
		if err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		w.OnDraw(func(*app.Frame) { aPlaceToPanic() })
		w.Run()
	})
}

func aPlaceToPanic() { panic(errTest) }

func TestMethodsOfAClosedWindow(t *testing.T) {
	w := open(t)
	monitors, err := app.Monitors()
	if err != nil || len(monitors) == 0 {
		t.Fatal(monitors, err)
	}
	w.Stop()
	ends(t, w.Run)
	ends(t, func() {
		w.OnDraw(func(*app.Frame) { t.Error("a frame of a closed window") })
		w.OnEvent(func(app.Event) { t.Error("an event of a closed window") })
		w.SetTitle("x")
		w.SetIcon()
		w.SetSize(1, 1)
		w.SetPosition(1, 1)
		w.SetSizeLimits(1, 1, 1, 1)
		w.Show()
		w.Hide()
		w.Focus()
		w.Minimize()
		w.Maximize()
		w.Restore()
		w.RequestAttention()
		w.Windowed()
		w.SetCursor(app.HandCursor)
		w.SetCursorImage(nil, 0, 0)
		w.SetCursorMode(app.CursorHidden)
		w.Redraw()
		w.Stop()
		w.Run()
		if width, height := w.Size(); width != 0 || height != 0 {
			t.Errorf("the size is %d, %d", width, height)
		}
		if px, py := w.Position(); px != 0 || py != 0 {
			t.Errorf("the position is %d, %d", px, py)
		}
		if err := w.Fullscreen(monitors[0]); err != app.ErrClosed {
			t.Errorf("Fullscreen: %v", err)
		}
		if _, err := w.Screenshot(); err != app.ErrClosed {
			t.Errorf("Screenshot: %v", err)
		}
		if w.Thread().Call(func() {}) {
			t.Error("the window's thread still runs functions")
		}
	})
}

func TestTerminatingAWindowsThreadClosesTheWindow(t *testing.T) {
	w, _ := show(t, app.NoVSync())
	w.OnDraw(func(*app.Frame) { w.Thread().Terminate() })
	arrives(t, w.Done())
}

func TestWindowsFromManyGoroutines(t *testing.T) {
	begin(t)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for range 3 {
				w, err := app.NewWindow(app.Size(50+i, 50))
				if err != nil {
					t.Error(err)
					return
				}
				w.OnDraw(func(f *app.Frame) {
					gl.Clear(gl.COLOR_BUFFER_BIT)
					if f.Number == 3 {
						w.Stop()
					}
				})
				w.Run()
			}
		})
	}
	ends(t, all.Wait)
}

// A window may be made and run in the handler of another.
func TestAWindowInsideAHandler(t *testing.T) {
	w := open(t)
	var inner atomic.Int64
	w.OnEvent(func(app.Event) {
		v, err := app.NewWindow()
		if err != nil {
			t.Error(err)
			return
		}
		v.OnDraw(func(*app.Frame) { inner.Add(1); v.Stop() })
		v.Run()
		w.Stop()
	})
	w.SetSize(300, 300)
	ends(t, w.Run)
	if n := inner.Load(); n != 1 {
		t.Errorf("the inner window drew %d frames", n)
	}
}
