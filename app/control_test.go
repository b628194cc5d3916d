package app_test

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

func TestClipboard(t *testing.T) {
	begin(t)
	if text, err := app.Clipboard(); text != "" || err != nil {
		t.Errorf("an empty clipboard holds %q, %v", text, err)
	}
	for _, text := range []string{"hello", "", "two\nlines", "größer 漢字 🙂", strings.Repeat("long ", 20_000)} {
		if err := app.SetClipboard(text); err != nil {
			t.Errorf("SetClipboard(%.20q): %v", text, err)
		}
		if got, err := app.Clipboard(); got != text || err != nil {
			t.Errorf("the clipboard holds %.20q, %v, want %.20q", got, err, text)
		}
	}
}

func TestMonitors(t *testing.T) {
	begin(t)
	monitors, err := app.Monitors()
	if err != nil || len(monitors) == 0 {
		t.Fatal(monitors, err)
	}
	for _, m := range monitors {
		if m.Name == "" || m.Bounds.Empty() || m.WorkArea.Empty() || m.ScaleX <= 0 || m.ScaleY <= 0 ||
			m.Mode.Width != m.Bounds.Dx() || m.Mode.Height != m.Bounds.Dy() || len(m.Modes) == 0 {
			t.Errorf("a monitor that cannot be: %+v", m)
		}
	}
	ends(t, app.Terminate)
	if err := app.Init(); err != nil {
		t.Fatal(err)
	}
	w := open(t)
	w.Stop() // a monitor of the last Init and a closed window
	ends(t, w.Run)
	if err := w.Fullscreen(monitors[0]); err != app.ErrClosed {
		t.Errorf("Fullscreen of a closed window: %v", err)
	}
}

func TestFullscreenAndBack(t *testing.T) {
	w := open(t)
	w.OnDraw(quarters)
	r := listen(w, nil)
	run(t, w)
	w.SetPosition(30, 40)
	monitors, err := app.Monitors()
	if err != nil {
		t.Fatal(err)
	}
	m := monitors[0]
	if err := w.Fullscreen(nil); err == nil || !strings.Contains(err.Error(), "app.Monitors") {
		t.Errorf("Fullscreen(nil): %v", err)
	}
	if err := w.Fullscreen(&app.Monitor{}); err == nil || !strings.Contains(err.Error(), "connected") {
		t.Errorf("Fullscreen of no monitor: %v", err)
	}
	w.Windowed() // does nothing
	for range 3 {
		for range 2 { // the second does nothing, and does not forget the place of the window
			if err := w.Fullscreen(m); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, func() bool {
			width, height := w.Size()
			return width == m.Mode.Width && height == m.Mode.Height
		}, "a window as large as the monitor")
		comes(t, r, func(e app.ResizeEvent) bool { return e.ScreenWidth == m.Mode.Width })
		eventually(t, func() bool {
			p, err := w.Screenshot()
			if err != nil {
				t.Fatal(err)
			}
			return p.Rect.Dx() >= m.Mode.Width && cornersOf(p) == corners
		}, "a picture of the whole monitor")
		w.Windowed()
		eventually(t, func() bool {
			width, height := w.Size()
			px, py := w.Position()
			return width == 200 && height == 150 && px == 30 && py == 40
		}, "the window where it was")
	}
}

func TestAWindowMadeFullscreen(t *testing.T) {
	begin(t)
	monitors, err := app.Monitors()
	if err != nil {
		t.Fatal(err)
	}
	w, _ := show(t, app.Fullscreen(monitors[0]))
	if width, _ := w.Size(); width != monitors[0].Mode.Width {
		t.Errorf("the width is %d", width)
	}
	w.Windowed()
	eventually(t, func() bool { width, height := w.Size(); return width == 200 && height == 150 }, "the size it was made with")
}

func TestIconsAndCursorsOfAllKinds(t *testing.T) {
	w, c := show(t)
	picture := image.NewRGBA(image.Rect(-5, -5, 11, 11))
	draw.Draw(picture, picture.Rect, image.NewUniform(color.RGBA{200, 100, 0, 255}), image.Point{}, draw.Src)
	part := image.NewNRGBA(image.Rect(0, 0, 64, 64)).SubImage(image.Rect(10, 10, 42, 42))
	ends(t, func() {
		w.SetIcon(picture)
		w.SetIcon(picture, part, image.NewGray(image.Rect(0, 0, 48, 48)))
		w.SetIcon(nil, image.NewNRGBA(image.Rectangle{}))
		w.SetIcon()
		for shape := app.ArrowCursor - 1; shape <= app.VResizeCursor+1; shape++ {
			w.SetCursor(shape)
		}
		w.SetCursorImage(picture, 3, 3)
		w.SetCursorImage(part, -100, 1000)
		w.SetCursorImage(image.NewNRGBA(image.Rectangle{}), 0, 0)
		w.SetCursorImage(nil, 0, 0)
		for _, mode := range []app.CursorMode{app.CursorHidden, app.CursorCaptured, 99, app.CursorNormal} {
			w.SetCursorMode(mode)
		}
		w.SetSizeLimits(100, 100, 50, 50)
		w.SetSizeLimits(-1, 0, 0, -1)
		w.SetIcon(image.NewNRGBA(image.Rect(0, 0, 1500, 1500)))
		w.SetPosition(1<<40, -1<<40)
		w.SetPosition(0, 0)
		w.SetSize(-5, 0)
		w.SetTitle("")
		w.SetTitle("nul \x00 and \xff no text")
		w.RequestAttention()
		w.Minimize()
		w.Restore()
		w.Maximize()
		w.Restore()
		w.Hide()
		w.Show()
		w.Focus()
	})
	c.goesOn(t, 3, "frames after all that")
	eventually(t, func() bool { width, height := w.Size(); return width == 1 && height == 1 }, "the least size")
}

// An image of the program's own may panic: that is the caller's, and the main thread lives on.
func TestAnImageThatPanics(t *testing.T) {
	w, c := show(t)
	ends(t, func() {
		if v := recovered(func() { w.SetIcon(panicking{}) }); v != errTest {
			t.Errorf("SetIcon panicked with %v", v)
		}
	})
	c.goesOn(t, 3, "frames after a panic of an image")
	mainthread.Call(func() {})
}

type panicking struct{}

func (panicking) ColorModel() color.Model { return color.NRGBAModel }
func (panicking) Bounds() image.Rectangle { return image.Rect(0, 0, 4, 4) }
func (panicking) At(x, y int) color.Color { panic(errTest) }

// Everything at once, from many goroutines, while the window draws and then closes.
func TestAWindowUnderFire(t *testing.T) {
	w, c := show(t, app.NoVSync())
	listen(w, nil)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for _, f := range []func(i int){
		func(i int) { w.SetSize(100+i%50, 100+i%30) },
		func(i int) { w.SetTitle(strings.Repeat("x", i%100)) },
		func(i int) { w.SetPosition(i%200, i%100) },
		func(i int) { w.SetCursor(app.CursorShape(int(app.ArrowCursor) + i%6)) },
		func(i int) { _, _ = w.Screenshot() },
		func(i int) { w.Redraw() },
		func(i int) { w.OnDraw(quarters); count(w, nil) },
		func(i int) { w.Thread().Call(func() {}) },
		func(i int) { _ = app.SetClipboard("x"); _, _ = app.Clipboard() },
		func(i int) { w.OnEvent(func(app.Event) {}) },
	} {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					f(i)
				}
			}
		})
	}
	time.Sleep(time.Second)
	_ = c
	w.Stop()
	arrives(t, w.Done())
	time.Sleep(50 * time.Millisecond) // and on the closed window
	close(stop)
	ends(t, all.Wait)
}
