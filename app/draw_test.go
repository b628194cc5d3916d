package app_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
)

// quarters paints the four quarters of a window in four colours.
func quarters(f *app.Frame) {
	gl.Enable(gl.SCISSOR_TEST)
	for i, c := range corners {
		gl.Scissor(int32(i%2*f.Width/2), int32((1-i/2)*f.Height/2), int32(f.Width/2), int32(f.Height/2))
		gl.ClearColor(float32(c.R)/255, float32(c.G)/255, float32(c.B)/255, 0) // alpha is not for pictures
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	gl.Disable(gl.SCISSOR_TEST)
}

// corners are the colours at the upper left, upper right, lower left and lower right.
var corners = [4]color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {51, 102, 204, 255}}

// cornersOf are what a picture has there.
func cornersOf(p *image.NRGBA) (c [4]color.NRGBA) {
	for i := range c {
		c[i] = p.NRGBAAt(p.Rect.Dx()/4+i%2*p.Rect.Dx()/2, p.Rect.Dy()/4+i/2*p.Rect.Dy()/2)
	}
	return c
}

// keep writes a picture where the user of the tests may look at it.
func keep(t *testing.T, name string, p image.Image) {
	t.Helper()
	path := filepath.Join(t.ArtifactDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
}

func TestScreenshotIsWhatWasDrawn(t *testing.T) {
	for _, test := range []struct {
		name string
		opts []app.Option
		size image.Point
	}{
		{"plain", nil, image.Pt(200, 150)},
		{"smooth", []app.Option{app.Samples(4)}, image.Pt(200, 150)},
		{"odd size", []app.Option{app.Size(201, 77)}, image.Pt(201, 77)},
		{"hidden", []app.Option{app.Hidden()}, image.Pt(200, 150)},
		{"on demand", []app.Option{app.OnDemand()}, image.Pt(200, 150)},
		{"old OpenGL", []app.Option{app.OpenGL(2, 1)}, image.Pt(200, 150)},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := open(t, test.opts...)
			w.OnDraw(quarters)
			run(t, w)
			p, err := w.Screenshot()
			if err != nil {
				t.Fatal(err)
			}
			keep(t, "screenshot.png", p)
			if p.Rect.Size() != test.size {
				t.Errorf("the size is %v, want %v", p.Rect.Size(), test.size)
			}
			if got := cornersOf(p); got != corners {
				t.Errorf("the corners are %v, want %v", got, corners)
			}
		})
	}
}

// A program may leave anything bound when a frame ends.
func TestScreenshotWhateverIsBound(t *testing.T) {
	w := open(t)
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
			var fbo, rb, pack uint32
			gl.GenFramebuffers(1, &fbo)
			gl.BindFramebuffer(gl.READ_FRAMEBUFFER, fbo)
			gl.GenRenderbuffers(1, &rb)
			gl.BindRenderbuffer(gl.RENDERBUFFER, rb)
			gl.RenderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, 8, 8)
			gl.FramebufferRenderbuffer(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, rb)
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
	for range 3 {
		p, err := w.Screenshot()
		if err != nil {
			t.Fatal(err)
		}
		if got := cornersOf(p); got != corners {
			t.Errorf("the corners are %v, want %v", got, corners)
		}
	}
	w.Stop()
	arrives(t, w.Done())
	if e := failed.Load(); e != 0 {
		t.Errorf("OpenGL error %#x", e)
	}
	if before != after {
		t.Errorf("what was bound has changed from %v to %v", before, after)
	}
}

func TestScreenshotsWhileAWindowCloses(t *testing.T) {
	for range 10 {
		w := open(t)
		done := make(chan error)
		for range 8 {
			go func() {
				for {
					p, err := w.Screenshot()
					if err == nil && p.Rect.Dx() != 200 {
						t.Errorf("a picture %v", p.Rect)
					}
					if err != nil {
						done <- err
						return
					}
				}
			}()
		}
		ran := run(t, w)
		if _, err := w.Screenshot(); err != nil {
			t.Fatal(err)
		}
		w.Stop()
		for range 8 {
			if err := arrives(t, done); err != app.ErrClosed {
				t.Errorf("a screenshot of a window that closes: %v", err)
			}
		}
		arrives(t, ran)
	}
}

func TestScreenshotOnTheWindowsThread(t *testing.T) {
	w := open(t)
	errs := make(chan error, 1)
	w.OnDraw(func(f *app.Frame) {
		if f.Number == 0 {
			_, err := w.Screenshot()
			errs <- err
		}
	})
	run(t, w)
	if err := arrives(t, errs); err == nil {
		t.Error("no error in OnDraw")
	}
	w.Thread().Call(func() {
		if _, err := w.Screenshot(); err == nil {
			t.Error("no error on the window's thread")
		}
	})
}

// Screenshots of windows that never run are refused when there is no hope any longer.
func TestScreenshotOfAWindowThatNeverRuns(t *testing.T) {
	w := open(t)
	errs := make(chan error)
	go func() { _, err := w.Screenshot(); errs <- err }()
	time.Sleep(10 * time.Millisecond)
	ends(t, app.Terminate)
	if err := arrives(t, errs); err != app.ErrClosed {
		t.Errorf("got %v", err)
	}
}

func TestFramesTellTimeAndSize(t *testing.T) {
	w := open(t)
	frames := make(chan app.Frame, 10)
	var viewport [4]int32
	w.OnDraw(func(f *app.Frame) {
		if f.Number < 10 {
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
		f := arrives(t, frames)
		switch {
		case f.Number != uint64(i):
			t.Errorf("frame %d has number %d", i, f.Number)
		case i == 0 && (f.Time != 0 || f.Delta != 0):
			t.Errorf("the first frame has time %v, delta %v", f.Time, f.Delta)
		case i > 0 && (f.Delta <= 0 || f.Time != last.Time+f.Delta):
			t.Errorf("frame %d has time %v, delta %v after %v", i, f.Time, f.Delta, last.Time)
		case f.Width != 200 || f.Height != 150 || f.ScreenWidth != 200 || f.ScreenHeight != 150:
			t.Errorf("the size is %dx%d, on the screen %dx%d", f.Width, f.Height, f.ScreenWidth, f.ScreenHeight)
		case f.ScaleX <= 0 || f.ScaleY <= 0:
			t.Errorf("the scale is %v, %v", f.ScaleX, f.ScaleY)
		}
		last = f
	}
}

// rate runs a window for a while and returns how many frames a second it drew.
func rate(t *testing.T, opts ...app.Option) float64 {
	t.Helper()
	_, c := show(t, opts...)
	time.Sleep(100 * time.Millisecond)
	start, before := time.Now(), c.n.Load()
	time.Sleep(time.Second)
	return float64(c.n.Load()-before) / time.Since(start).Seconds()
}

// A busy machine makes fewer frames, but no machine makes more than were asked for.
func TestFrameRates(t *testing.T) {
	for _, test := range []struct {
		name        string
		opts        []app.Option
		least, most float64
	}{
		{"vsync", nil, 10, 66}, // Xvfb has no monitor, GLFW says 60
		{"30", []app.Option{app.FrameRate(30)}, 8, 33},
		{"30 without vsync", []app.Option{app.FrameRate(30), app.NoVSync()}, 8, 33},
		{"7.5", []app.Option{app.FrameRate(7.5)}, 3, 9},
		{"as fast as it can", []app.Option{app.NoVSync()}, 20, 1e6},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := rate(t, test.opts...)
			t.Logf("%.1f frames a second", got)
			if got < test.least || got > test.most {
				t.Errorf("%.1f frames a second, want %v to %v", got, test.least, test.most)
			}
		})
	}
}

func TestWindowsAtDifferentRates(t *testing.T) {
	_, slow := show(t, app.FrameRate(5))
	_, fast := show(t, app.FrameRate(50))
	start := time.Now()
	s, f := slow.n.Load(), fast.n.Load()
	eventually(t, func() bool { return fast.n.Load() >= f+60 }, "60 frames")
	took := time.Since(start).Seconds()
	s, f = slow.n.Load()-s, fast.n.Load()-f
	t.Logf("in %.2f s: %d and %d frames", took, s, f)
	if float64(s) > 5*took+2 || float64(f) > 50*took+2 {
		t.Errorf("in %.2f s: %d and %d frames, want at the most 5 and 50 a second", took, s, f)
	}
	if s < 1 {
		t.Error("the slow window was not drawn")
	}
}

func TestASlowWindowStopsNoOther(t *testing.T) {
	slow := open(t)
	gate := make(chan struct{})
	entered := make(chan struct{}, 1)
	slow.OnDraw(func(*app.Frame) {
		select {
		case entered <- struct{}{}:
		default:
		}
		<-gate
	})
	run(t, slow)
	defer close(gate)
	arrives(t, entered)
	w, c := show(t)
	c.goesOn(t, 20, "frames beside a window that hangs")
	if _, err := w.Screenshot(); err != nil {
		t.Error(err)
	}
	slow.SetTitle("still here") // what is not the window's thread's does not hang either
	if width, _ := slow.Size(); width != 200 {
		t.Errorf("the width of the window that hangs is %d", width)
	}
}

func TestASlowHandlerStopsNoDrawing(t *testing.T) {
	w, c := show(t)
	gate := make(chan struct{})
	entered := make(chan struct{}, 1)
	w.OnEvent(func(app.Event) {
		select {
		case entered <- struct{}{}:
		default:
		}
		<-gate
	})
	defer close(gate)
	w.SetSize(210, 160)
	arrives(t, entered)
	c.goesOn(t, 20, "frames while a handler hangs")
	p, err := w.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	if p.Rect.Dx() != 210 {
		t.Errorf("the picture is %v", p.Rect)
	}
}

// steady waits until no frame has come for a while, and returns how many there were.
func (c *counter) steady(t *testing.T) int64 {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; {
		before := c.n.Load()
		time.Sleep(150 * time.Millisecond)
		if c.n.Load() == before {
			return before
		}
	}
	t.Fatalf("frames come and come")
	return 0
}

func TestOnDemandDrawsWhenAsked(t *testing.T) {
	w, c := show(t, app.OnDemand())
	n := c.steady(t)
	for range 5 {
		w.Redraw()
		n++
		eventually(t, func() bool { return c.n.Load() == n }, "frame %d after Redraw", n)
	}
	if got := c.steady(t); got != n {
		t.Errorf("5 times Redraw: %d frames more than that", got-n)
	}
	w.SetSize(222, 111)
	c.goesOn(t, 1, "a frame after a change of size")
	c.steady(t)
	if _, err := w.Screenshot(); err != nil {
		t.Error(err)
	}
}

func TestRedrawCoalesces(t *testing.T) {
	w := open(t, app.OnDemand())
	gate := make(chan struct{})
	var n atomic.Int64
	w.OnDraw(func(*app.Frame) {
		if n.Add(1) == 2 {
			<-gate
		}
	})
	run(t, w)
	eventually(t, func() bool { return n.Load() > 0 }, "the first frame")
	for n.Load() < 2 {
		w.Redraw()
	}
	for range 1000 {
		w.Redraw() // while the second frame is being drawn
	}
	close(gate)
	eventually(t, func() bool { return n.Load() >= 3 }, "the frame that was asked for during another")
	time.Sleep(200 * time.Millisecond)
	if got := n.Load(); got > 5 { // the first ones may have been asked for by the system, too
		t.Errorf("1,000 times Redraw during a frame gave %d frames", got-2)
	}
}

// What is asked for inside a frame is a frame more.
func TestRedrawInsideAFrame(t *testing.T) {
	w := open(t, app.OnDemand())
	c := count(w, func(f *app.Frame) {
		if f.Number < 9 {
			w.Redraw()
		}
	})
	run(t, w)
	eventually(t, func() bool { return c.n.Load() >= 10 }, "ten frames")
}

func TestTheWindowsThreadHasTheContextBetweenFrames(t *testing.T) {
	for _, test := range []struct {
		name string
		opts []app.Option
	}{{"drawing", nil}, {"as fast as it can", []app.Option{app.NoVSync()}}, {"on demand", []app.Option{app.OnDemand()}}} {
		t.Run(test.name, func(t *testing.T) {
			w, c := show(t, test.opts...)
			inFrame := false
			w.OnDraw(func(*app.Frame) {
				inFrame = true
				c.n.Add(1)
				inFrame = false
			})
			ends(t, func() {
				for range 200 {
					var version string
					if !w.Thread().Call(func() {
						version = gl.GoStr(gl.GetString(gl.VERSION))
						if inFrame {
							t.Error("a call runs inside a frame")
						}
					}) || version == "" {
						t.Fatalf("no OpenGL on the window's thread: %q", version)
					}
				}
			})
		})
	}
}

func TestAWindowWithoutOnDrawIsBlack(t *testing.T) {
	w := open(t)
	run(t, w)
	p, err := w.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p.Pix {
		if want := uint8(255 * (i % 4 / 3)); v != want {
			t.Fatalf("byte %d is %d", i, v)
		}
	}
	w.OnDraw(quarters)
	if p, err = w.Screenshot(); err != nil || cornersOf(p) != corners {
		t.Errorf("after OnDraw: %v, %v", cornersOf(p), err)
	}
	w.OnDraw(nil)
	if _, err = w.Screenshot(); err != nil {
		t.Error(err)
	}
}
