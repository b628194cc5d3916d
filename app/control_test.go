package app_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

func TestClipboard_holdsWhatWasSet(t *testing.T) {
	begin(t)
	for _, text := range []string{"hello", "", "two\nlines", "größer 漢字 🙂",
		strings.Repeat("long ", 20_000)} {
		screen.Must(t, app.SetClipboard(text))
		if got, err := app.Clipboard(); got != text || err != nil {
			t.Errorf("the clipboard holds %.20q, %v, want %.20q", got, err, text)
		}
	}
	// A thread that reads from the connection to the X server, as those that draw do, may read the
	// answer for which Clipboard waits.
	screen.Must(t, app.SetClipboard(""))
	var over atomic.Bool
	var reading sync.WaitGroup
	reading.Go(func() {
		for !over.Load() {
			app.ReadEvents()
			time.Sleep(50 * time.Microsecond)
		}
	})
	defer reading.Wait()
	defer over.Store(true)
	for range 200 {
		if text, err := app.Clipboard(); text != "" && runtime.GOOS != "windows" || err != nil {
			t.Fatalf("an empty clipboard holds %q, %v", text, err)
		}
	}
}

// A window covers a monitor, its frames have the size of that, and it goes back to its place.
func TestSetFullScreen_coversAMonitorAndGoesBack(t *testing.T) {
	w := open(t, app.Size(330, 220))
	w.OnDraw(quarters)
	run(t, w)
	with(t, w, func(win *glfw.Window) { win.SetPos(30, 40) })
	placed(t, w, 30, 40)
	w.SetFullScreen(nil) // where it is
	full := whole(t, w)
	for range 3 {
		m := w.Monitor()
		w.SetFullScreen(m)
		sized(t, w, full.X, full.Y)
		testutil.Eventually(t, func() bool {
			p, err := w.Screenshot()
			screen.Must(t, err)
			return p.Rect.Max == full && hasCorners(p, p.Rect)
		}, "a picture of the whole monitor")
		if now := w.Monitor(); now == nil || *now != *m {
			t.Errorf("it covers %v, want %v", now, m)
		}
		w.SetFullScreen(m)
		w.SetFullScreen(nil)
		sized(t, w, 330, 220)
		placed(t, w, 30, 40)
	}
	w.Stop()
	<-w.Done()
	if m := w.Monitor(); m != nil {
		t.Errorf("the monitor of a closed window is %v", m)
	}
	w.SetFullScreen(nil)
}

// GLFW has freed a monitor that has gone.
func TestSetFullScreen_doesNothingWithoutTheMonitor(t *testing.T) {
	set := plug(t)
	w, c := show(t)
	gone := w.Monitor()
	set(false)
	defer set(true)
	testutil.Eventually(t, func() bool { return w.Monitor() == nil }, "no monitor")
	w.SetFullScreen(gone)
	sized(t, w, 200, 150)
	c.goesOn(t, 3, "frames")
}

func TestSetCursor_changesWhatThePointerDoes(t *testing.T) {
	w, _ := show(t)
	place(t, w, 100, 100)
	placed(t, w, 100, 100)
	x.Move(t, 200, 150)
	r := listen(w, nil)
	focus(t, w, r)
	for _, test := range []struct {
		cursor      app.Cursor
		mode        int
		kept, moves bool // the pointer stays in the window, and its events go on without bounds
	}{
		{app.CursorHidden, glfw.CursorHidden, false, false},
		{app.CursorCaptured, glfw.CursorCaptured, true, false},
		{app.CursorDisabled, glfw.CursorDisabled, true, true},
		{app.CursorRaw, glfw.CursorDisabled, true, true},
		{app.CursorNormal, glfw.CursorNormal, false, false},
	} {
		w.SetCursor(test.cursor)
		raw := 0
		with(t, w, func(win *glfw.Window) {
			if mode := win.GetInputMode(glfw.CursorMode); mode != test.mode {
				t.Errorf("cursor %d has GLFW's mode %#x, want %#x", test.cursor, mode, test.mode)
			}
			raw = win.GetInputMode(glfw.RawMouseMotion)
		})
		if (raw == glfw.True) != (test.cursor == app.CursorRaw) {
			t.Errorf("cursor %d: raw motion is %d", test.cursor, raw)
		}
		if test.moves {
			testutil.Eventually(t, func() bool {
				x.Move(t, 205, 175) // from the middle, to which GLFW has it return
				return slices.ContainsFunc(of[app.MouseMoveEvent](r),
					func(e app.MouseMoveEvent) bool { return e.X > 250 })
			}, "movements beyond the window with cursor %d", test.cursor)
			r = listen(w, nil)
			continue
		}
		testutil.Eventually(t, func() bool {
			x.Move(t, 20, 20)
			at, err := xproto.QueryPointer(x.Conn, x.Root).Reply()
			screen.Must(t, err)
			return (at.RootX >= 100 && at.RootY >= 100) == test.kept
		}, "cursor %d keeps the pointer: %v", test.cursor, test.kept)
		x.Move(t, 200, 150)
	}
}

// change calls what changes a window, with good and bad values.
func change(w *app.Window) {
	w.SetSize(-5, 0)
	w.SetTitle("")
	w.SetTitle("nul \x00 and \xff no text")
	w.Hide()
	w.Show()
}

// What OnDraw changes does not wait for the main thread.
func TestOnDraw_changesTheWindowWithoutWaiting(t *testing.T) {
	w, _ := show(t, app.Unlimited)
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	defer release()
	mainthread.Go(func() { <-hold })
	c := count(w, func(f *app.Frame) {
		w.SetTitle("old")
		w.SetTitle("new")
	})
	c.goesOn(t, 3, "frames while the main thread is blocked")
	w.OnDraw(nil)
	release()
	testutil.Eventually(t, func() bool {
		title := ""
		with(t, w, func(win *glfw.Window) { title = win.GetTitle() })
		return title == "new"
	}, "the last title")
}

// Everything at once, from many goroutines, while the window draws; then frames go on as they are
// set. And again while it closes, and after that.
func TestWindow_isSafeForConcurrentUse(t *testing.T) {
	w, c := show(t, app.Unlimited)
	all := func() {
		var all sync.WaitGroup
		for _, f := range []func(i int){
			func(i int) { w.SetSize(100+i%50, 100+i%30) },
			func(i int) { w.SetTitle(strings.Repeat("x", i%100)) },
			func(i int) { _ = w.Do(func(*glfw.Window) {}) },
			func(i int) { _, _ = w.Screenshot() },
			func(i int) { w.Redraw() },
			func(i int) { w.SetFullScreen(w.Monitor()); w.SetFullScreen(nil) },
			func(i int) { w.SetCursor(app.Cursor(i % 5)) },
			func(i int) { app.Gamepads() },
			func(i int) { w.Thread().Call(func() {}) },
			func(i int) { _ = app.SetClipboard("x"); _, _ = app.Clipboard() },
			func(i int) { w.OnEvent(func(app.Event) {}) },
			func(i int) { w.SetPace(app.Pace(i%20-1) * 50) },
		} {
			all.Go(func() {
				for i := range 100 {
					f(i)
				}
			})
		}
		all.Wait()
	}
	all()
	w.SetPace(app.VSync)
	c.goesOn(t, 10, "frames after all changes")
	w.SetPace(app.OnDemand)
	c.steady(t)
	var closing sync.WaitGroup
	closing.Go(all)
	w.Stop()
	<-w.Done()
	closing.Wait()
	all()
}

// With two pixels where there is usually one, a window has twice the size, if it is to be scaled.
func TestFrame_hasTheScaleOfTheMonitor(t *testing.T) {
	app.Terminate() // GLFW reads the scale at Init
	atom := x.Atom(t, "RESOURCE_MANAGER")
	const scale = "Xft.dpi:\t192\n"
	screen.Must(t, xproto.ChangePropertyChecked(x.Conn, xproto.PropModeReplace, x.Root, atom,
		xproto.AtomString, 8,
		uint32(len(scale)), []byte(scale)).Check())
	defer func() {
		app.Terminate()
		screen.Must(t, xproto.DeletePropertyChecked(x.Conn, x.Root, atom).Check())
	}()
	scaled := app.Hints(func() { glfw.WindowHint(glfw.ScaleToMonitor, glfw.True) })
	for width, opt := range map[int]app.Option{200: nil, 400: scaled} {
		w := open(t, opt)
		var frame app.Frame
		w.OnDraw(func(f *app.Frame) { frame = *f; w.Stop() })
		w.Run()
		if frame.ScaleX != 2 || frame.ScaleY != 2 || frame.Width != width {
			t.Errorf("got %+v, want width %d and scale 2", frame, width)
		}
	}
}
