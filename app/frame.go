package app

import (
	"context"
	"errors"
	"image"
	"sync/atomic"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app/internal/nsgl"
)

// A Frame is the argument of the function of [Window.OnDraw]. It is valid until that returns.
type Frame struct {
	Number uint64        // zero for the first
	Time   time.Duration // since the first frame began
	Delta  time.Duration // since the last frame began; zero for the first

	Width, Height             int // of the window, in pixels
	ScreenWidth, ScreenHeight int // in screen coordinates, as those of the mouse
	ScaleX, ScaleY            float32

	Steps int     // how many times the function of OnStep has run for this frame
	Alpha float64 // the part of the next period that has passed, from 0 to 1; zero without OnStep
}

// drawing draws the frames of a window. Each is a function that runs on the window's thread, so
// that other functions given to the thread run between frames.
type drawing struct {
	frame     Frame
	first     time.Time
	run       func() // drawPosted, made once
	tick      func() // drawTick, made once
	swap      func() error
	context   *nsgl.Context // or nil
	ticks     frameClock
	shot      chan<- *image.NRGBA // of the frame that is drawn for a Screenshot, or nil
	inside    string              // the method to which the function was given that runs
	pending   atomic.Bool         // a frame has been posted
	minimized atomic.Bool
}

func (d *drawing) init(w *Window) {
	d.run, d.tick = w.drawPosted, w.drawTick
	d.swap = func() error {
		if state.wayland.Load() {
			w.hiding.Lock()
			defer w.hiding.Unlock()
		}
		w.win.SwapBuffers()
		return nil
	}
}

// schedule posts a frame, unless one has been posted.
func (w *Window) schedule() {
	if w.pending.CompareAndSwap(false, true) && !w.thread.Go(w.run) {
		w.Stop()
	}
}

// Redraw draws a frame soon, if the window is [OnDemand]. Several calls before the frame begins
// result in one frame. If the window is minimized, the frame is drawn when it is restored.
func (w *Window) Redraw() {
	if !w.continuous() {
		w.request()
	}
}

// request has a frame drawn, once Run has been called.
func (w *Window) request() {
	if w.life.Load() == running {
		w.schedule()
	}
}

// changed has a frame drawn because a function of the window has been replaced, unless the next one
// comes anyway.
func (w *Window) changed(appeared bool) {
	if appeared || !w.continuous() {
		w.request()
	}
}

// continuous reports whether frame follows frame.
func (w *Window) continuous() bool {
	return !w.onDemand.Load() && !w.minimized.Load() &&
		(w.onDraw.Load() != nil || w.onStep.Load() != nil)
}

// drawPosted draws a frame that has been posted.
func (w *Window) drawPosted() {
	w.pending.Store(false) // from now on Redraw posts another frame
	w.drawFrame()
}

// drawTick draws a frame because its time has come.
func (w *Window) drawTick() {
	if w.continuous() {
		w.drawFrame()
	} else {
		w.pause()
	}
}

// pause ends the clock. Events that were to be delivered before the next frame are delivered now.
func (w *Window) pause() {
	w.ticks.stop()
	if w.opts.eventsOnDraw {
		w.deliverNow()
	}
}

// drawFrame runs on the window's thread.
func (w *Window) drawFrame() {
	if w.stopped.Load() || w.minimized.Load() && w.shot == nil {
		w.pause()
		return
	}
	completed := false
	defer w.check(&completed)
	if w.opts.eventsOnDraw && !w.deliverAll() {
		completed = true
		return
	}
	if w.continuous() {
		w.ticks.begin(w)
	} else {
		w.ticks.stop()
	}
	f := &w.frame
	now := time.Duration(0)
	if f.Number == 0 && w.first.IsZero() {
		w.first = time.Now()
	} else {
		now = time.Since(w.first)
		f.Number++
		f.Delta = now - f.Time
	}
	f.Time = now
	w.context.Update()
	w.measure(f)
	w.takeSteps(f)
	if draw := w.onDraw.Load(); draw != nil {
		w.inside = "OnDraw"
		(*draw)(f)
	} else if !w.opts.noOpenGL {
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	if w.opts.noOpenGL {
		took := time.Since(w.first) - now
		w.ticks.swapped(took, took) // the program shows the frame in OnDraw
	} else {
		if w.shot != nil {
			w.shot <- picture(f.Width, f.Height)
		}
		w.show()
	}
	completed = true
	w.next()
}

// next runs at the end of a frame.
func (w *Window) next() {
	if w.continuous() {
		if w.ticks.timer == nil {
			w.schedule()
		}
	} else if w.opts.eventsOnDraw && w.queue.len() > 0 {
		w.postDelivery() // they have come in the belief that another frame would follow
	}
}

// show shows the frame.
//
// While it waits for the reply of an X server, Xlib may read events for the main thread.
func (w *Window) show() {
	if w.life.Load() == over {
		return // end has given up waiting
	}
	start := time.Now()
	_ = guarded(w.swap)
	end := time.Now()
	w.ticks.swapped(end.Sub(start), end.Sub(w.first)-w.frame.Time)
	wakeForEvents()
}

// measure fills in the size of the window.
func (w *Window) measure(f *Frame) {
	w.shared.mu.Lock()
	g := w.shared.geometry
	w.shared.mu.Unlock()
	if !w.opts.noOpenGL {
		gl.Viewport(0, 0, int32(g.size.Width), int32(g.size.Height))
	}
	f.Width, f.Height = g.size.Width, g.size.Height
	f.ScreenWidth, f.ScreenHeight = g.size.ScreenWidth, g.size.ScreenHeight
	f.ScaleX, f.ScaleY = g.scaleX, g.scaleY
}

// reschedule runs on the window's thread after a setting has changed: the frame for which the clock
// waits gets a new time.
func (w *Window) reschedule() {
	if w.ticks.timer == nil || w.stopped.Load() || !w.continuous() {
		return // the next frame will begin the clock, or stop it
	}
	if w.ticks.again(w, time.Since(w.first)-w.frame.Time) {
		w.schedule()
	}
}

// Screenshot draws a frame and returns its picture. It returns an error if Run is not called within
// a second, if a function on the window's thread does not return within five, and on that thread,
// where it would wait for itself.
func (w *Window) Screenshot() (*image.NRGBA, error) {
	if w.thread.On() {
		return nil, errors.New("app: Screenshot on the window's thread; call it elsewhere")
	}
	if w.opts.noOpenGL {
		return nil, errors.New("app: Screenshot of a window made with NoOpenGL")
	}
	for start := time.Now(); w.life.Load() == made; time.Sleep(time.Millisecond) {
		// the goroutine that calls Run may have been started only now
		if time.Since(start) > time.Second {
			return nil, errors.New("app: Screenshot without Run; call Run on another goroutine")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	taken := make(chan *image.NRGBA, 1)
	w.thread.GoContext(ctx, func() {
		defer func() { w.shot = nil; close(taken) }() // also if OnDraw calls Goexit
		w.shot = taken
		w.drawFrame()
	})
	select {
	case p := <-taken:
		if p != nil {
			return p, nil
		}
	case <-w.gone:
	case <-ctx.Done():
		return nil, w.hangs("Screenshot")
	}
	return nil, ErrClosed
}

// picture reads back the frame that has just been drawn.
func picture(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	if len(p.Pix) > 0 {
		readPixels(p)
		flip(p)
	}
	return p
}

// readPixels fills p with the pixels of the window, whatever the program has bound, and restores
// what was bound.
func readPixels(p *image.NRGBA) {
	set := func(get uint32, value int32, set func(int32)) (restore func()) {
		var before int32
		gl.GetIntegerv(get, &before)
		set(value)
		return func() { set(before) }
	}
	store := func(parameter uint32, value int32) (restore func()) {
		return set(parameter, value, func(v int32) { gl.PixelStorei(parameter, v) })
	}
	defer set(gl.READ_FRAMEBUFFER_BINDING, 0,
		func(v int32) { gl.BindFramebuffer(gl.READ_FRAMEBUFFER, uint32(v)) })()
	defer set(gl.READ_BUFFER, gl.BACK, func(v int32) { gl.ReadBuffer(uint32(v)) })()
	defer set(gl.PIXEL_PACK_BUFFER_BINDING, 0,
		func(v int32) { gl.BindBuffer(gl.PIXEL_PACK_BUFFER, uint32(v)) })()
	defer store(gl.PACK_ALIGNMENT, 1)()
	defer store(gl.PACK_ROW_LENGTH, 0)()
	defer store(gl.PACK_SKIP_ROWS, 0)()
	defer store(gl.PACK_SKIP_PIXELS, 0)()
	gl.ReadPixels(0, 0, int32(p.Rect.Dx()), int32(p.Rect.Dy()), gl.RGBA, gl.UNSIGNED_BYTE,
		gl.Ptr(p.Pix))
}

// flip turns a picture upside down, because OpenGL begins with the lowest row, and makes it opaque.
func flip(p *image.NRGBA) {
	row := make([]byte, p.Stride)
	for y, last := 0, p.Rect.Dy()-1; y < last-y; y++ {
		upper, lower := p.Pix[y*p.Stride:][:p.Stride], p.Pix[(last-y)*p.Stride:][:p.Stride]
		copy(row, upper)
		copy(upper, lower)
		copy(lower, row)
	}
	for i := 3; i < len(p.Pix); i += 4 {
		p.Pix[i] = 255
	}
}

// OnStep makes step run once for each period d that has passed, on the window's thread and before
// OnDraw, for simulations whose results must not depend on the rate of the frames:
//
//	w.OnStep(time.Second/120, func() { last, ball = ball, ball.moved() })
//	w.OnDraw(func(f *app.Frame) { draw(mix(last, ball, f.Alpha)) })
//
// A frame has run [Frame.Steps] steps, often none or several, and [Frame.Alpha] of the next period
// had passed when it began. Steps begin with the first frame after OnStep.
//
// A frame runs the steps of at most a quarter of a second, after the window was minimized for
// example, and stops stepping after a twentieth of a second: then the simulation is slower than the
// clock, but frames go on. Steps that are left out are not made up for.
//
// A nil function ends the steps, and so does d <= 0. [OnDemand] windows step when a frame is drawn.
// A panic in step is as one in OnDraw.
func (w *Window) OnStep(d time.Duration, step func()) {
	var before, now *stepping
	if step != nil && d > 0 {
		now = &stepping{period: d, step: step}
	}
	before = w.onStep.Swap(now)
	w.changed((before == nil) != (now == nil))
}

// stepping is what OnStep was called with, and how far the window's thread is.
type stepping struct {
	period time.Duration
	step   func()
	begun  bool
	left   time.Duration // that has passed without a step
}

const (
	mostBehind   = time.Second / 4  // the most that a frame makes up for
	mostStepping = time.Second / 20 // how long steps may delay a frame
)

// due returns how many steps are due when delta has passed since the last frame.
func (s *stepping) due(delta time.Duration) (n int) {
	if !s.begun {
		s.begun = true
		return 0
	}
	s.left += min(delta, max(mostBehind, s.period))
	n = int(s.left / s.period)
	s.left %= s.period
	return n
}

// takeSteps runs the steps that are due in a frame.
func (w *Window) takeSteps(f *Frame) {
	f.Steps, f.Alpha = 0, 0
	s := w.onStep.Load()
	if s == nil {
		return
	}
	w.inside = "OnStep"
	began := time.Now()
	for n := s.due(f.Delta); f.Steps < n; {
		s.step()
		f.Steps++
		if time.Since(began) > mostStepping {
			break
		}
	}
	f.Alpha = float64(s.left) / float64(s.period)
}
