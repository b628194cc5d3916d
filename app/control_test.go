package app_test

import (
	"image"
	"runtime"
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

// A window covers a monitor by GLFW, and its frames have the size of that.
func TestGLFW_coversAMonitor(t *testing.T) {
	w := open(t)
	w.OnDraw(quarters)
	run(t, w)
	for range 3 {
		full := image.Point{}
		with(w, func(win *glfw.Window) {
			cover(win)
			mode := glfw.GetMonitors()[0].GetVideoMode()
			full = image.Pt(mode.Width, mode.Height)
		})
		sized(t, w, full.X, full.Y)
		testutil.Eventually(t, func() bool {
			p, err := w.Screenshot()
			screen.Must(t, err)
			return p.Rect.Max == full && hasCorners(p, p.Rect)
		}, "a picture of the whole monitor")
		with(w, uncover)
		sized(t, w, 330, 220)
		placed(t, w, 30, 40)
	}
}

// change calls what changes a window, with good and bad values.
func change(w *app.Win) {
	w.SetSize(-5, 0)
	w.SetTitle("")
	w.SetTitle("nul \x00 and \xff no text")
	w.Hide()
	w.Show()
}

// What OnDraw changes does not wait for the main thread.
func TestOnDraw_changesTheWindowWithoutWaiting(t *testing.T) {
	w, _ := show(t, app.NoVSync())
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
		return mainthread.MustEval(func() string { return w.GLFW().GetTitle() }) == "new"
	}, "the last title")
}

// Everything at once, from many goroutines, while the window draws; then frames go on as they are
// set. And again while it closes, and after that.
func TestWindow_isSafeForConcurrentUse(t *testing.T) {
	w, c := show(t, app.NoVSync())
	all := func() {
		var all sync.WaitGroup
		for _, f := range []func(i int){
			func(i int) { w.SetSize(100+i%50, 100+i%30) },
			func(i int) { w.SetTitle(strings.Repeat("x", i%100)) },
			func(i int) { mainthread.Call(func() { w.GLFW() }) },
			func(i int) { _, _ = w.Screenshot() },
			func(i int) { w.Redraw() },
			func(i int) { w.OnStep(time.Millisecond, func() {}); w.OnStep(0, nil) },
			func(i int) { w.Thread().Call(func() {}) },
			func(i int) { _ = app.SetClipboard("x"); _, _ = app.Clipboard() },
			func(i int) { w.OnEvent(func(app.Event) {}) },
			func(i int) { w.SetFrameRate(float64(i%20) * 50) },
			func(i int) { w.SetVSync(i%2 == 0) },
			func(i int) { w.SetOnDemand(i%2 == 0) },
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
	w.SetFrameRate(0)
	w.SetOnDemand(false)
	c.goesOn(t, 10, "frames after all changes")
	w.SetOnDemand(true)
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
