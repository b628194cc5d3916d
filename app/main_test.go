package app_test

import (
	"flag"
	"fmt"
	"image"
	"os"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"
	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// programs are what tests run in processes of their own, where the end of a process matters, or
// what it lacks. The environment variable THREADCALL_PROGRAM chooses one in place of the tests.
var programs = map[string]func(){
	"window":  windowAndReport,
	"wayland": onWayland,
}

var x = &desktop{Screen: &screen.Screen{}} // on which the windows of the tests are

// Without a screen, CI=true makes the tests fail; otherwise those run that need none.
func TestMain(m *testing.M) {
	flag.Parse()
	if program := programs[os.Getenv("THREADCALL_PROGRAM")]; program != nil {
		program()
		return
	}
	switch s, err := screen.Start(); {
	case runtime.GOOS == "windows": // whose windows do not use X11
	case err != nil:
		fmt.Printf("app: NOT TESTED: no X server: %v\n", err)
		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}
		_ = flag.Set("test.run", "^Test(FrameClock|Pace|Queue|Build)")
		_ = flag.Set("test.bench", "^$")
	default:
		x.Screen = s
		os.Setenv("DISPLAY", x.Display)
		os.Setenv("LIBGL_ALWAYS_SOFTWARE", "1")
		os.Setenv("MESA_GL_VERSION_OVERRIDE", "3.3")
	}
	mainthread.Init(func() { os.Exit(m.Run()) })
}

// must ends a program that cannot go on.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

var begun testing.TB // the test whose end terminates the package

func begin(t testing.TB) {
	t.Helper()
	screen.Must(t, app.Init())
	if begun != t {
		begun = t
		t.Cleanup(func() { begun = nil; app.Terminate() })
	}
}

// openGL is the context that the tests draw with.
var openGL = app.OpenGL(3, 3, gl.Init)

// open makes a window.
func open(t testing.TB, opts ...app.Option) *app.Window {
	t.Helper()
	return openBare(t, append([]app.Option{openGL}, opts...)...)
}

// openBare makes a window without a context.
func openBare(t testing.TB, opts ...app.Option) *app.Window {
	t.Helper()
	begin(t)
	w, err := app.NewWindow(append([]app.Option{app.Title(t.Name()), app.Size(200, 150)},
		opts...)...)
	screen.Must(t, err)
	return w
}

// run runs a window on a goroutine of its own until the test ends.
func run(t testing.TB, w *app.Window) {
	go w.Run()
	t.Cleanup(func() { w.Stop(); <-w.Done() })
}

// show makes a window and runs it, and returns when it has drawn a frame.
func show(t testing.TB, opts ...app.Option) (*app.Window, counter) {
	t.Helper()
	w := open(t, opts...)
	c := count(w, nil)
	run(t, w)
	c.exceeds(t, 0, "the first frame")
	return w, c
}

// A counter returns how many frames a window has had.
type counter func() int64

// count makes draw, or an empty function, the one that draws w.
func count(w *app.Window, draw func(*app.Frame)) counter {
	var n atomic.Int64
	w.OnDraw(func(f *app.Frame) {
		if draw != nil {
			draw(f)
		} else {
			gl.Clear(gl.COLOR_BUFFER_BIT)
		}
		n.Add(1)
	})
	return n.Load
}

// goesOn waits for more frames.
func (c counter) goesOn(t testing.TB, frames int64, what string) {
	t.Helper()
	c.exceeds(t, c()+frames-1, what)
}

// exceeds waits until there have been more than n frames.
func (c counter) exceeds(t testing.TB, n int64, what string) {
	t.Helper()
	testutil.Eventually(t, func() bool { return c() > n }, "%s", what)
}

// steady waits until no frame has come for a while, and returns how many there were.
func (c counter) steady(t testing.TB) (n int64) {
	t.Helper()
	testutil.Eventually(t, func() bool {
		n = c()
		time.Sleep(150 * time.Millisecond)
		return c() == n
	}, "the end of the frames")
	return n
}

// A record is the events of a window, as values.
type record struct {
	mu  sync.Mutex
	all []any
}

// listen records the events of a window and hands them to handle, if that is not nil.
func listen(w *app.Window, handle func(app.Event)) *record {
	r := &record{}
	w.OnEvent(func(e app.Event) {
		r.mu.Lock()
		r.all = append(r.all, reflect.ValueOf(e).Elem().Interface())
		r.mu.Unlock()
		if handle != nil {
			handle(e)
		}
	})
	return r
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%+v", r.all)
}

// of returns the events of one type.
func of[E any](r *record) (some []E) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.all {
		if e, ok := v.(E); ok {
			some = append(some, e)
		}
	}
	return some
}

// comes waits for an event.
func comes[E any](t testing.TB, r *record, like func(E) bool) {
	t.Helper()
	testutil.Eventually(t, func() bool {
		for _, e := range of[E](r) {
			if like(e) {
				return true
			}
		}
		return false
	}, "an event like the one expected")
}

// with calls f on the main thread with the window of GLFW.
func with(t testing.TB, w *app.Window, f func(*glfw.Window)) {
	t.Helper()
	screen.Must(t, w.Do(f))
}

// whole returns the size of the first monitor.
func whole(t testing.TB, w *app.Window) (size image.Point) {
	t.Helper()
	with(t, w, func(*glfw.Window) {
		mode := glfw.GetMonitors()[0].GetVideoMode()
		size = image.Pt(mode.Width, mode.Height)
	})
	return size
}

func id(w *app.Window) xproto.Window { return xproto.Window(w.ID()) }

// focus gives w the keyboard, which it may have had.
func focus(t testing.TB, w *app.Window, r *record) {
	t.Helper()
	x.Focus(t, xproto.InputFocusPointerRoot)
	x.Focus(t, id(w))
	comes(t, r, func(e app.FocusEvent) bool { return e.Focused })
}

func resize(t testing.TB, w *app.Window, width, height int) {
	t.Helper()
	x.Configure(t, id(w), xproto.ConfigWindowWidth|xproto.ConfigWindowHeight, uint32(width),
		uint32(height))
}

func place(t testing.TB, w *app.Window, px, py int) {
	t.Helper()
	x.Configure(t, id(w), xproto.ConfigWindowX|xproto.ConfigWindowY, uint32(px), uint32(py))
}

// sized waits until the window has a size.
func sized(t testing.TB, w *app.Window, width, height int) {
	t.Helper()
	testutil.Eventually(t, func() bool {
		x, y := w.Size()
		return x == width && y == height
	}, "the size %d, %d", width, height)
}

// placed waits until the window is at a position.
func placed(t testing.TB, w *app.Window, px, py int) {
	t.Helper()
	testutil.Eventually(t, func() bool {
		x, y := 0, 0
		with(t, w, func(win *glfw.Window) { x, y = win.GetPos() })
		return x == px && y == py
	}, "the position %d, %d", px, py)
}
