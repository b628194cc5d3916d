package app_test

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// quarters paints the four quarters of a window in four colours.
func quarters(f *app.Frame) {
	gl.Enable(gl.SCISSOR_TEST)
	for i, c := range corners {
		gl.Scissor(int32(i%2*f.Width/2), int32((1-i/2)*f.Height/2), int32(f.Width/2),
			int32(f.Height/2))
		// screenshots have no alpha
		gl.ClearColor(float32(c.R)/255, float32(c.G)/255, float32(c.B)/255, 0)
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	gl.Disable(gl.SCISSOR_TEST)
}

// corners are the colours at the upper left, upper right, lower left and lower right.
var corners = [4]color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255},
	{51, 102, 204, 255}}

// hasCorners returns whether the four quarters of r in p have their colours.
func hasCorners(p image.Image, r image.Rectangle) bool {
	for i, want := range corners {
		at := r.Min.Add(image.Pt(r.Dx()/4+i%2*r.Dx()/2, r.Dy()/4+i/2*r.Dy()/2))
		if color.RGBAModel.Convert(p.At(at.X, at.Y)) != want {
			return false
		}
	}
	return true
}

// shoot takes a screenshot of a window that has the colours of quarters.
func shoot(t *testing.T, w *app.Window, size image.Point) {
	t.Helper()
	p, err := w.Screenshot()
	screen.Must(t, err)
	if p.Rect.Size() != size || !hasCorners(p, p.Rect) {
		t.Errorf("the screenshot is %v, want %v, or its colours are wrong", p.Rect.Size(), size)
	}
}

func TestScreenshot_isWhatWasDrawn(t *testing.T) {
	for _, test := range []struct {
		name string
		opts []app.Option
		size image.Point
	}{
		{"default", nil, image.Pt(200, 150)},
		{"samples", []app.Option{app.Hints(func() { glfw.WindowHint(glfw.Samples, 4) })},
			image.Pt(200, 150)},
		{"Size", []app.Option{app.Size(201, 77)}, image.Pt(201, 77)},
		{"Hidden", []app.Option{app.Hidden()}, image.Pt(200, 150)},
		{"OnDemand", []app.Option{app.OnDemand}, image.Pt(200, 150)},
		{"OpenGL", []app.Option{app.OpenGL(2, 1, gl.Init)}, image.Pt(200, 150)},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := open(t, test.opts...)
			w.OnDraw(quarters)
			run(t, w)
			shoot(t, w, test.size)
			if test.name != "Hidden" {
				testutil.Eventually(t, func() bool {
					return hasCorners(x.Picture(t), image.Rectangle{Max: test.size})
				}, "the colours on the screen")
			}
		})
	}
}

func TestScreenshot_needsNoRun(t *testing.T) {
	for name, opts := range map[string][]app.Option{"vsync": nil, "Unlimited": {app.Unlimited},
		"hidden": {app.Hidden()}, "EventsOnDraw": {app.EventsOnDraw()}} {
		t.Run(name, func(t *testing.T) {
			w := open(t, opts...)
			c := count(w, quarters)
			for range 3 {
				shoot(t, w, image.Pt(200, 150))
			}
			w.Redraw()
			if n := c.steady(t); n != 3 {
				t.Errorf("%d frames for 3 screenshots", n)
			}
			run(t, w)
			c.goesOn(t, 3, "frames in Run")
		})
	}
	w := open(t)
	w.OnDraw(func(*app.Frame) { panic(errTest) })
	if _, err := w.Screenshot(); err != app.ErrClosed {
		t.Errorf("of a frame that panics: %v", err)
	}
	testutil.MustPanic(t, w.Run, errTest.Error())
}

// A frame may leave anything bound. Where a screenshot would wait for its caller, it is refused.
func TestScreenshot_leavesTheStateOfOpenGL(t *testing.T) {
	w := open(t)
	refused := func(where string) {
		if _, err := w.Screenshot(); err == nil || !strings.Contains(err.Error(), where) {
			t.Errorf("%s: %v", where, err)
		}
	}
	var failed atomic.Uint32
	var before, after [3]int32
	state := func(s *[3]int32) {
		gl.GetIntegerv(gl.READ_FRAMEBUFFER_BINDING, &s[0])
		gl.GetIntegerv(gl.PIXEL_PACK_BUFFER_BINDING, &s[1])
		gl.GetIntegerv(gl.PACK_SKIP_PIXELS, &s[2])
	}
	w.OnDraw(func(f *app.Frame) {
		if f.Number > 0 {
			state(&after)
			gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, 0)
		} else {
			refused("")
			var fbo, rb, pack uint32
			gl.GenFramebuffers(1, &fbo)
			gl.BindFramebuffer(gl.READ_FRAMEBUFFER, fbo)
			gl.GenRenderbuffers(1, &rb)
			gl.BindRenderbuffer(gl.RENDERBUFFER, rb)
			gl.RenderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, 8, 8)
			gl.FramebufferRenderbuffer(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER,
				rb)
			gl.GenBuffers(1, &pack)
			gl.BindBuffer(gl.PIXEL_PACK_BUFFER, pack)
			gl.PixelStorei(gl.PACK_SKIP_PIXELS, 7)
			gl.PixelStorei(gl.PACK_ROW_LENGTH, 1000)
			state(&before)
		}
		quarters(f)
		failed.Store(gl.GetError())
	})
	run(t, w)
	w.Thread().Call(func() { refused("") })
	for range 3 {
		shoot(t, w, image.Pt(200, 150))
	}
	w.Stop()
	<-w.Done()
	if e := failed.Load(); e != 0 {
		t.Errorf("OpenGL error %#x", e)
	}
	if before != after {
		t.Errorf("what was bound has changed from %v to %v", before, after)
	}
}

// What waits for a window's thread returns an error if that hangs.
func TestScreenshot_endsIfTheWindowHangs(t *testing.T) {
	w, _ := show(t)
	gate := testutil.Occupy(t, w.Thread().Go)
	defer gate.Open()
	var all sync.WaitGroup
	for what, try := range map[string]func() error{
		"Screenshot": func() error { _, err := w.Screenshot(); return err },
		"Share":      func() error { _, err := app.NewWindow(app.Share(w)); return err },
	} {
		all.Go(func() {
			if err := try(); err == nil || !strings.Contains(err.Error(), what+": a function on") {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	testutil.Ends(t, all.Wait)
}

func TestFrame_hasNumberTimeAndSize(t *testing.T) {
	w := open(t)
	frames := make(chan app.Frame, 10)
	w.OnDraw(func(f *app.Frame) {
		if f.Number < 10 {
			var viewport [4]int32
			gl.GetIntegerv(gl.VIEWPORT, &viewport[0])
			if viewport != [4]int32{0, 0, int32(f.Width), int32(f.Height)} {
				t.Errorf("frame %d begins with the viewport %v", f.Number, viewport)
			}
			gl.Viewport(1, 1, 2, 2)
			frames <- *f
		}
	})
	run(t, w)
	var last app.Frame
	for i := range 10 {
		f := <-frames
		want := app.Frame{Number: uint64(i), Time: last.Time + f.Delta, Delta: f.Delta,
			Width: 200, Height: 150, ScreenWidth: 200, ScreenHeight: 150, ScaleX: 1, ScaleY: 1}
		if f != want || (i > 0) != (f.Delta > 0) {
			t.Errorf("frame %d after %+v: %+v", i, last, f)
		}
		last = f
	}
}

// A window without OnDraw is cleared when it is shown, when it has been resized, and for
// screenshots.
func TestOnDraw_clearsTheWindowWithoutAFunction(t *testing.T) {
	for name, opts := range map[string][]app.Option{"vsync": nil, "NoVSync": {app.Unlimited}} {
		t.Run(name, func(t *testing.T) {
			w, c := show(t, opts...)
			c.goesOn(t, 3, "three frames")
			w.OnDraw(nil)
			frames := counter(func() (n int64) {
				w.Thread().Call(func() { n = w.Frames() })
				return n
			})
			n := frames.steady(t)
			w.SetSize(210, 160)
			frames.exceeds(t, n, "a frame in the new size")
			w.Thread().Call(func() { gl.ClearColor(0, 0, 0, 0) })
			p, err := w.Screenshot()
			screen.Must(t, err)
			if i := slices.IndexFunc(p.Pix, func(v uint8) bool {
				return v != 0 && v != 255
			}); i >= 0 || p.Pix[0] != 0 {
				t.Errorf("byte %d of the picture is not black", i)
			}
			w.OnDraw(quarters)
			frames.goesOn(t, 10, "frame after frame")
		})
	}
}

// What blocks one of them does not stop a window's frames: another window, the window's own
// handler, the main thread.
func TestWindow_drawsWhileAnotherIsBlocked(t *testing.T) {
	for name, block := range map[string]func(w *app.Window, f func()){
		"another OnDraw": func(w *app.Window, f func()) {
			other := open(t)
			other.OnDraw(func(*app.Frame) { f() })
			run(t, other)
		},
		"OnEvent": func(w *app.Window, f func()) {
			w.OnEvent(func(app.Event) { f() })
			w.SetSize(210, 160)
		},
		"main thread": func(w *app.Window, f func()) { go mainthread.Call(f) },
	} {
		t.Run(name, func(t *testing.T) {
			w, c := show(t)
			gate := testutil.Occupy(t, func(f func()) bool {
				block(w, sync.OnceFunc(f))
				return true
			})
			defer gate.Open()
			c.goesOn(t, 20, "frames next to a function that blocks")
			if _, err := w.Screenshot(); err != nil {
				t.Error(err)
			}
			if name != "main thread" {
				w.SetTitle("not blocked")
			}
		})
	}
}

func TestRedraw_drawsOneFrameOnDemand(t *testing.T) {
	w, c := show(t, app.OnDemand)
	n := c.steady(t)
	for range 5 {
		w.Redraw()
		n++
		testutil.Eventually(t, func() bool { return c() == n }, "frame %d", n)
	}
	if got := c.steady(t); got != n {
		t.Errorf("%d frames more than those asked for", got-n)
	}
	n = c()
	w.SetSize(222, 111)
	c.exceeds(t, n, "a frame after a change of size")
	c.steady(t)
	if _, err := w.Screenshot(); err != nil {
		t.Error(err)
	}

	var drawn atomic.Int64
	w.OnDraw(func(*app.Frame) { // what is asked for in a frame is another one
		if drawn.Add(1) < 10 {
			w.Redraw()
		}
	})
	testutil.Eventually(t, func() bool { return drawn.Load() >= 10 }, "ten frames")

	gate := make(chan struct{})
	c = count(w, func(*app.Frame) { <-gate })
	for range 1000 {
		w.Redraw()
	}
	close(gate)
	c.exceeds(t, 0, "the frame that was asked for during another")
	if got := c.steady(t); got > 5 { // the system may have asked for some
		t.Errorf("1,000 times Redraw during a frame: %d frames", got)
	}
}

// Settings change the frames of a window that runs: a frame that would come in a quarter of an hour
// comes at once after the rate has been raised. A loaded machine draws fewer frames, and no machine
// more than were asked for.
func TestSetPace_takesEffectAtOnce(t *testing.T) {
	w, c := show(t)
	most := func(rate float64) { // 60 is the monitor's, that of Xvfb reports none
		t.Helper()
		var got float64
		for range 5 { // with load, the first frames may find that vsync limits them although it does not
			start, before := time.Now(), c()
			time.Sleep(time.Second)
			got = (float64(c()-before) - 2) / time.Since(start).Seconds()
			if got <= 1.1*rate {
				return
			}
		}
		t.Errorf("%.1f frames a second, want at most %v", got, rate)
	}
	most(60)
	w.SetPace(30)
	most(30)
	for _, p := range []app.Pace{app.VSync, 100, app.Unlimited} {
		w.SetPace(1e-9) // the slowest is 0.001
		c.steady(t)
		w.SetPace(p)
		c.goesOn(t, 5, "frames at a higher rate")

		w.SetPace(app.OnDemand)
		n := c.steady(t)
		w.Redraw()
		c.exceeds(t, n, "a frame after Redraw")
		w.SetPace(p)
		c.goesOn(t, 5, "frames")
	}
}
