package app_test

import (
	"fmt"
	"image"
	"sync/atomic"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
)

// managed shows a window on a screen with a window manager. agree waits until the size of the last
// frame, that of Size, that of the last ResizeEvent and that of the X server are the same, and
// like.
func managed(t *testing.T, opts ...app.Option) (w *app.Window, c counter, r *record,
	agree func(what string, like func(image.Point) bool)) {
	t.Helper()
	manage(t)
	w = open(t, append([]app.Option{app.Size(300, 200)}, opts...)...)
	r = listen(w, nil)
	var drawn atomic.Pointer[image.Point]
	c = count(w, func(f *app.Frame) {
		if old := drawn.Load(); old == nil || old.X != f.Width || old.Y != f.Height ||
			f.ScreenWidth != f.Width {
			drawn.Store(&image.Point{X: f.Width, Y: f.Height})
		}
		gl.Clear(gl.COLOR_BUFFER_BIT)
	})
	run(t, w)
	c.exceeds(t, 0, "the first frame")
	return w, c, r, func(what string, like func(image.Point) bool) {
		t.Helper()
		var state string
		defer func() {
			if t.Failed() {
				t.Log(state, of[app.StateEvent](r), c())
			}
		}()
		testutil.Eventually(t, func() bool {
			var server, size image.Point
			server.X, server.Y = sizeOnScreen(t, id(w))
			size.X, size.Y = w.Size()
			frame, event := *drawn.Load(), size
			if all := of[app.ResizeEvent](r); len(all) > 0 {
				event = image.Pt(all[len(all)-1].Width, all[len(all)-1].Height)
			}
			if all := of[app.StateEvent](r); len(all) > 0 && all[len(all)-1].Minimized {
				// GLFW minimizes a window that covers a monitor and loses the keyboard
				with(t, w, (*glfw.Window).Restore)
			}
			state = fmt.Sprintf("frame %v, Size %v, event %v, server %v", frame, size, event,
				server)
			return like(server) && frame == server && size == server && event == server
		}, "the same size everywhere after %s", what)
	}
}

func is(width, height int) func(image.Point) bool {
	return func(p image.Point) bool { return p == image.Pt(width, height) }
}

// Frames, Size, events and the X server agree on the size of a window after everything that changes
// it.
func TestWindow_hasOneSizeEverywhere(t *testing.T) {
	for name, opts := range map[string][]app.Option{
		"continuous": nil, "OnDemand": {app.OnDemand}, "EventsOnDraw": {app.EventsOnDraw()},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, _, agree := managed(t, opts...)
			full := whole(t, w)
			cover := func() { w.SetFullScreen(w.Monitor()) }
			uncover := func() { w.SetFullScreen(nil) }
			glfwDoes := func(steps ...func(*glfw.Window)) func() {
				return func() {
					for _, f := range steps {
						with(t, w, f)
					}
				}
			}
			maximize, restore := (*glfw.Window).Maximize, (*glfw.Window).Restore
			agree("it is shown", is(300, 200))
			for i, step := range []struct {
				what string
				do   func()
				like func(image.Point) bool
			}{
				{"SetSize", func() { w.SetSize(320, 210) }, is(320, 210)},
				{"resizing by another", func() { resize(t, w, 330, 220) }, is(330, 220)},
				{"many sizes", func() {
					for i := range 20 {
						w.SetSize(340+i, 200)
						resize(t, w, 200, 340+i)
					}
					w.SetSize(330, 220)
				}, is(330, 220)},
				{"Maximize", glfwDoes(maximize), func(p image.Point) bool { return p.X >= full.X-20 }},
				{"Restore", glfwDoes(restore), is(330, 220)},
				{"full screen", cover, is(full.X, full.Y)},
				{"no more", uncover, is(330, 220)},
				{"Maximize and full screen", func() { with(t, w, maximize); cover() }, is(full.X, full.Y)},
				{"no more, and Restore", func() { uncover(); with(t, w, restore) },
					func(p image.Point) bool { return p.X < full.X }},
				{"SetSize again", func() { with(t, w, restore); w.SetSize(330, 220) }, is(330, 220)},
				{"full screen and back at once", func() { cover(); uncover() }, is(330, 220)},
				{"maximized and back at once", glfwDoes(maximize, restore), is(330, 220)},
			} {
				step.do()
				agree(fmt.Sprintf("%s (%d)", step.what, i), step.like)
			}
		})
	}
}

// A minimized window draws no frames, but for screenshots, and draws again when it is restored.
func TestWindow_drawsNoFramesWhileMinimized(t *testing.T) {
	for name, opts := range map[string][]app.Option{
		"vsync":          nil,
		"without vsync":  {app.Unlimited},
		"FrameRate":      {app.Pace(200)},
		"OnDemand":       {app.OnDemand},
		"events on draw": {app.EventsOnDraw()},
	} {
		t.Run(name, func(t *testing.T) {
			w, c, r, agree := managed(t, opts...)
			with(t, w, (*glfw.Window).Iconify)
			comes(t, r, func(e app.StateEvent) bool { return e.Minimized })
			n := c.steady(t)
			w.Redraw()
			if got := c.steady(t); got != n {
				t.Errorf("%d frames of a minimized window", got-n)
			}
			_, err := w.Screenshot()
			screen.Must(t, err)
			resize(t, w, 310, 190)
			with(t, w, (*glfw.Window).Restore)
			comes(t, r, func(e app.StateEvent) bool { return !e.Minimized })
			frames := int64(3)
			if name == "OnDemand" {
				frames = 1
			}
			c.exceeds(t, n+frames, "frames of a restored window")
			agree("Restore", is(310, 190))
		})
	}
}

// plug connects the monitor of the X server, or disconnects it.
func plug(t *testing.T) func(in bool) {
	t.Helper()
	if x.Conn == nil {
		t.Skip("monitors are connected by an X server")
	}
	screen.Must(t, randr.Init(x.Conn))
	all, err := randr.GetScreenResourcesCurrent(x.Conn, x.Root).Reply()
	screen.Must(t, err)
	was, err := randr.GetCrtcInfo(x.Conn, all.Crtcs[0], xproto.TimeCurrentTime).Reply()
	screen.Must(t, err)
	return func(in bool) {
		mode, outputs := was.Mode, was.Outputs
		if !in {
			mode, outputs = 0, nil
		}
		r, err := randr.SetCrtcConfig(x.Conn, all.Crtcs[0], xproto.TimeCurrentTime,
			all.ConfigTimestamp,
			was.X, was.Y, mode, was.Rotation, outputs).Reply()
		screen.Must(t, err)
		if r.Status != 0 {
			t.Fatalf("the X server refuses to change the monitor: %d", r.Status)
		}
	}
}

// Each window receives an event when a monitor goes or comes, and glfw.GetMonitors has changed by
// then.
func TestMonitorEvent_reportsAMonitorThatComesOrGoes(t *testing.T) {
	set := plug(t)
	w, _ := show(t)
	other, _ := show(t, app.OnDemand, app.EventsOnDraw())
	monitors := func() (names []string) {
		with(t, w, func(*glfw.Window) {
			for _, m := range glfw.GetMonitors() {
				names = append(names, m.GetName())
			}
		})
		return names
	}
	before := monitors()
	for range 3 {
		for _, in := range []bool{false, true} {
			r := listen(w, nil)
			count := make(chan int, 2)
			other.OnEvent(func(e app.Event) {
				if _, ok := e.(*app.MonitorEvent); ok {
					count <- len(monitors())
				}
			})
			set(in)
			comes(t, r, func(e app.MonitorEvent) bool { return e.Connected == in && e.Name == before[0] })
			want := len(before)
			if !in {
				want--
			}
			if n := testutil.Arrives(t, count); n != want {
				t.Errorf("%d monitors, want %d", n, want)
			}
		}
	}
}
