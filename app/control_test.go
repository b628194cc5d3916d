package app_test

import (
	"image"
	"image/color"
	"image/draw"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/rig/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

func TestClipboard(t *testing.T) {
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

func TestWindow_Fullscreen(t *testing.T) {
	begin(t)
	monitors, err := app.Monitors()
	screen.Must(t, err)
	m := monitors[0]
	full := image.Pt(m.Mode.Width, m.Mode.Height)
	w := open(t, app.Fullscreen(m))
	w.OnDraw(quarters)
	r := listen(w, nil)
	run(t, w)
	sized(t, w, full.X, full.Y)
	w.Windowed()
	sized(t, w, 200, 150)
	w.SetPosition(30, 40)
	for bad, want := range map[*app.Monitor]string{nil: "app.Monitors", {}: "connected"} {
		if err := w.Fullscreen(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Fullscreen(%v): %v", bad, err)
		}
	}
	w.Windowed() // does nothing
	for range 3 {
		screen.Must(t, w.Fullscreen(m))
		screen.Must(t, w.Fullscreen(m)) // does nothing; the window's place is not forgotten
		sized(t, w, full.X, full.Y)
		comes(t, r, func(e app.ResizeEvent) bool { return e.ScreenWidth == full.X })
		testutil.Eventually(t, func() bool {
			p, err := w.Screenshot()
			screen.Must(t, err)
			return p.Rect.Max == full && hasCorners(p, p.Rect)
		}, "a picture of the whole monitor")
		w.Windowed()
		sized(t, w, 200, 150)
		placed(t, w, 30, 40)
	}
}

// change calls what changes a window, with good and bad values.
func change(w *app.Win) {
	picture := image.NewRGBA(image.Rect(-5, -5, 11, 11))
	draw.Draw(picture, picture.Rect, image.NewUniform(color.RGBA{200, 100, 0, 255}), image.Point{},
		draw.Src)
	part := image.NewNRGBA(image.Rect(0, 0, 64, 64)).SubImage(image.Rect(10, 10, 42, 42))
	w.SetIcon(picture)
	w.SetIcon(picture, part, image.NewGray(image.Rect(0, 0, 48, 48)))
	w.SetIcon(nil, image.NewNRGBA(image.Rectangle{}))
	w.SetIcon()
	w.SetSizeLimits(100, 100, 50, 50)
	w.SetSizeLimits(-1, 0, 0, -1)
	w.SetIcon(image.NewNRGBA(image.Rect(0, 0, 1500, 1500)))
	w.SetPosition(1<<40, -1<<40)
	w.SetPosition(0, 0)
	w.SetSize(-5, 0)
	w.SetTitle("")
	w.SetTitle("nul \x00 and \xff no text")
	w.Minimize()
	w.Restore()
	w.Maximize()
	w.Restore()
	w.Windowed()
	w.Hide()
	w.Show()
	w.Focus()
}

// What OnDraw changes does not wait for the main thread.
func TestWindow_OnDraw_changes(t *testing.T) {
	w, _ := show(t, app.NoVSync())
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	defer release()
	mainthread.Go(func() { <-hold })
	c := count(w, func(f *app.Frame) {
		w.SetTitle("old")
		w.SetSizeLimits(100, 100, 0, 0)
		w.SetTitle("new")
	})
	c.goesOn(t, 3, "frames while the main thread is blocked")
	w.OnDraw(nil)
	release()
	testutil.Eventually(t, func() bool {
		return mainthread.CallV(func() string { return w.GLFW().GetTitle() }) == "new"
	}, "the last title")
}

// Everything at once, from many goroutines, while the window draws; then frames go on as they are
// set. And again while it closes, and after that.
func TestWindow_concurrent(t *testing.T) {
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
func TestScaleToMonitor(t *testing.T) {
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
	for width, opt := range map[int]app.Option{200: nil, 400: app.ScaleToMonitor()} {
		w := open(t, opt)
		var frame app.Frame
		w.OnDraw(func(f *app.Frame) { frame = *f; w.Stop() })
		w.Run()
		if frame.ScaleX != 2 || frame.ScaleY != 2 || frame.Width != width {
			t.Errorf("got %+v, want width %d and scale 2", frame, width)
		}
	}
}
