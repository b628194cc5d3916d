package app_test

import (
	"image"
	"image/color"
	"image/draw"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
)

func TestClipboard(t *testing.T) {
	begin(t)
	if text, err := app.Clipboard(); text != "" && runtime.GOOS != "windows" || err != nil { // there it is the user's
		t.Errorf("an empty clipboard holds %q, %v", text, err)
	}
	for _, text := range []string{"hello", "", "two\nlines", "größer 漢字 🙂", strings.Repeat("long ", 20_000)} {
		screen.Must(t, app.SetClipboard(text))
		if got, err := app.Clipboard(); got != text || err != nil {
			t.Errorf("the clipboard holds %.20q, %v, want %.20q", got, err, text)
		}
	}
}

// A thread that reads from the connection to the X server, as those that draw do, may read the answer for which Clipboard waits.
func TestClipboard_read(t *testing.T) {
	begin(t)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			default:
				app.ReadEvents()
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	defer func() { close(over); <-ended }()
	for range 200 {
		if text, err := app.Clipboard(); text != "" && runtime.GOOS != "windows" || err != nil {
			t.Fatalf("an empty clipboard holds %q, %v", text, err)
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
}

func TestWindow_Fullscreen(t *testing.T) {
	begin(t)
	monitors, err := app.Monitors()
	screen.Must(t, err)
	m := monitors[0]
	full := image.Pt(m.Mode.Width, m.Mode.Height)
	hasSize := func(w *app.Win, want image.Point) func() bool {
		return func() bool {
			width, height := w.Size()
			return image.Pt(width, height) == want
		}
	}
	w, _ := show(t, app.Fullscreen(m))
	screen.Wait(t, hasSize(w, full), "a window as large as the monitor")
	w.Windowed()
	screen.Wait(t, hasSize(w, image.Pt(200, 150)), "the size of the option")

	w = open(t)
	w.OnDraw(quarters)
	r := listen(w, nil)
	run(t, w)
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
		screen.Wait(t, hasSize(w, full), "a window as large as the monitor")
		comes(t, r, func(e app.ResizeEvent) bool { return e.ScreenWidth == full.X })
		screen.Wait(t, func() bool {
			p, err := w.Screenshot()
			screen.Must(t, err)
			return p.Rect.Max == full && hasCorners(p, p.Rect)
		}, "a picture of the whole monitor")
		w.Windowed()
		screen.Wait(t, hasSize(w, image.Pt(200, 150)), "the size before")
		screen.Wait(t, func() bool { px, py := w.Position(); return px == 30 && py == 40 }, "the place before")
	}
}

// change calls what changes a window, with good and bad values.
func change(w *app.Win) {
	picture := image.NewRGBA(image.Rect(-5, -5, 11, 11))
	draw.Draw(picture, picture.Rect, image.NewUniform(color.RGBA{200, 100, 0, 255}), image.Point{}, draw.Src)
	part := image.NewNRGBA(image.Rect(0, 0, 64, 64)).SubImage(image.Rect(10, 10, 42, 42))
	w.SetIcon(picture)
	w.SetIcon(picture, part, image.NewGray(image.Rect(0, 0, 48, 48)))
	w.SetIcon(nil, image.NewNRGBA(image.Rectangle{}))
	w.SetIcon()
	for shape := app.ArrowCursor - 1; shape <= app.NotAllowedCursor+1; shape++ {
		w.SetCursor(shape)
	}
	w.SetCursorImage(picture, 3, 3)
	w.SetCursorImage(part, -100, 1000)
	w.SetCursorImage(image.NewNRGBA(image.Rectangle{}), 0, 0)
	w.SetCursorImage(nil, 0, 0)
	for _, mode := range []app.CursorMode{app.CursorHidden, app.CursorCaptured, app.CursorConfined, 99, app.CursorNormal} {
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
	w.SetMousePassthrough(true)
	w.SetMousePassthrough(false)
	w.RequestAttention()
	w.Minimize()
	w.Restore()
	w.Maximize()
	w.Restore()
	w.Windowed()
	w.Hide()
	w.Show()
	w.Focus()
}

func TestWindow_changes(t *testing.T) {
	w, c := show(t)
	change(w)
	c.goesOn(t, 3, "frames after all changes")
	windows := runtime.GOOS == "windows" // leaves room for the buttons in the title
	screen.Wait(t, func() bool { width, height := w.Size(); return height == 1 && (width == 1 || windows) }, "the least size")
}

// What the window manager gets.
func TestWindow_properties(t *testing.T) {
	w := open(t, app.Title("größer"))
	is := func(name, want string) {
		t.Helper()
		screen.Wait(t, func() bool { return string(x.Property(t, id(w), name)) == want }, "%s to be %q", name, want)
	}
	is("_NET_WM_NAME", "größer")
	w.SetTitle("漢字")
	is("_NET_WM_NAME", "漢字")
	w.SetIcon(image.NewNRGBA(image.Rect(0, 0, 16, 16)))
	screen.Wait(t, func() bool { return len(x.Property(t, id(w), "_NET_WM_ICON")) == 4*(2+16*16) }, "the icon")
	w.SetIcon()
	is("_NET_WM_ICON", "")
}

func TestWindow_SetCursorMode_captured(t *testing.T) {
	w, _ := show(t)
	r := listen(w, nil)
	focus(t, w, r)
	w.SetCursorMode(app.CursorCaptured)
	defer w.SetCursorMode(app.CursorNormal)
	screen.Wait(t, func() bool {
		const relative = 1
		x.Fake(t, xproto.MotionNotify, relative, 20, 0)
		moves := of[app.MouseMoveEvent](r)
		return len(moves) > 0 && moves[len(moves)-1].X > 1500
	}, "a mouse farther to the right than the screen is wide")
}

// Everything at once, from many goroutines, while the window draws, when it closes, and after that.
func TestWindow_concurrent(t *testing.T) {
	w, _ := show(t, app.NoVSync())
	stop := make(chan struct{})
	var all sync.WaitGroup
	for _, f := range []func(i int){
		func(i int) { w.SetSize(100+i%50, 100+i%30) },
		func(i int) { w.SetTitle(strings.Repeat("x", i%100)) },
		func(i int) { w.SetCursor(app.CursorShape(i % 10)) },
		func(i int) { _, _ = w.Screenshot() },
		func(i int) { w.Redraw() },
		func(i int) { w.OnDraw(quarters); w.OnDraw(nil) },
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
	w.Stop()
	<-w.Done()
	time.Sleep(50 * time.Millisecond)
	close(stop)
	all.Wait()
}
