package app

import (
	"errors"
	"image"
	"sync/atomic"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// A Frame is what the function given to [Win.OnDraw] receives. It is valid until that returns.
type Frame struct {
	Number uint64        // zero for the first
	Time   time.Duration // since the first frame began
	Delta  time.Duration // since the last frame began; zero for the first

	Width, Height             int // of the window, in pixels
	ScreenWidth, ScreenHeight int // in screen coordinates, as those of the mouse
	ScaleX, ScaleY            float32

	Steps int     // how many times the function given to OnStep has run for this frame
	Alpha float64 // how much of the next period has passed, between 0 and 1; zero without OnStep
}

// drawing draws frame after frame. A frame is a function posted to the window's thread, which posts the next one, so that
// other functions given to the thread run between frames.
type drawing struct {
	frame   Frame
	first   time.Time
	due     time.Duration // when the next frame should begin, since first
	refresh time.Duration // how long the monitor shows a frame
	timer   *time.Timer   // posts the next frame, if it is not due yet
	woken   time.Duration // when a frame last woke the main thread, since first
	run     func()        // drawFrame, made once
	swap    func() error
	pending atomic.Bool // a frame has been posted, or the timer will post one
	inside  string      // the method to which the function was given that runs
}

func (d *drawing) init(w *Win) {
	d.run = w.drawFrame
	d.swap = func() error { w.win.SwapBuffers(); return nil }
	d.timer = time.NewTimer(time.Hour)
	d.timer.Stop()
	go w.pace()
}

// post has a frame drawn on the window's thread.
func (w *Win) post() {
	if !w.thread.Go(w.run) {
		w.Stop()
	}
}

// pace posts the frames for which the timer is set, until the timer is set once more after Stop. (A timer with a
// function would make a goroutine for each frame.)
func (w *Win) pace() {
	for range w.timer.C {
		if w.stopped.Load() {
			return
		}
		w.post()
	}
}

// schedule posts a frame, unless one has been posted.
func (w *Win) schedule() {
	if w.pending.CompareAndSwap(false, true) {
		w.post()
	}
}

// Redraw draws a frame soon, if the window is [OnDemand]; others draw frame after frame. Several calls before the frame
// begins result in one frame.
func (w *Win) Redraw() {
	if w.onDemand.Load() && w.life.Load() == running {
		w.schedule()
	}
}

// drawFrame runs on the window's thread.
func (w *Win) drawFrame() {
	if w.stopped.Load() {
		return
	}
	w.pending.Store(false) // from now on Redraw posts another frame
	completed := false
	defer w.check(&completed)
	if w.opts.eventsOnDraw && !w.deliverAll() {
		completed = true
		return
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
	w.measure(f)
	w.takeSteps(f)
	if draw := w.onDraw.Load(); draw != nil {
		w.inside = "OnDraw"
		(*draw)(f)
	} else if !w.opts.noOpenGL {
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	if !w.opts.noOpenGL {
		w.takeShots(f)
		w.show(f)
	}
	completed = true
	if !w.onDemand.Load() {
		w.scheduleAfter(now)
	}
}

// show shows the frame.
//
// While it waits for the reply of an X server, Xlib may read events for the main thread, which waits for the socket and is
// not notified: show wakes it. (Without that, TestEvent_whileDrawing loses an event.)
func (w *Win) show(f *Frame) {
	_ = guarded(w.swap)
	if usesX11() && (w.onDemand.Load() || f.Time-w.woken >= 4*time.Millisecond) {
		w.woken = f.Time
		wake()
	}
}

// measure fills in the size of the window.
func (w *Win) measure(f *Frame) {
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

// scheduleAfter posts the frame after the one that began at began: at once if the driver has waited for the monitor, and
// otherwise when it is due.
func (w *Win) scheduleAfter(began time.Duration) {
	if !w.pending.CompareAndSwap(false, true) {
		return
	}
	now := time.Since(w.first)
	period := time.Duration(0)
	if !w.noVSync.Load() && now-began < w.refresh/2 {
		period = w.refresh // the driver does not wait: a hidden window, or no monitor at all
	}
	if rate := w.rate(); rate > 0 {
		period = max(period, time.Duration(float64(time.Second)/rate))
	}
	w.due = max(w.due+period, began+period/2) // late frames are not made up for
	if left := w.due - now; period > 0 && left > 0 {
		w.timer.Reset(left)
		return
	}
	w.post()
}

// reschedule runs on the window's thread after a setting has changed: the frame for which the timer waits gets a new time.
func (w *Win) reschedule() {
	if w.pending.Load() && w.timer.Stop() && !w.stopped.Load() {
		w.due = w.frame.Time
		w.pending.Store(false)
		w.scheduleAfter(w.frame.Time)
	}
}

// A shot is a picture of a window, or an error.
type shot struct {
	picture *image.NRGBA
	err     error
}

// Screenshot returns a picture of the next frame, for which it waits. In OnDraw, and on the window's thread, where it
// would wait for itself, it returns an error.
func (w *Win) Screenshot() (*image.NRGBA, error) {
	if w.thread.On() {
		return nil, errors.New("app: Screenshot on the window's own thread, which must draw the frame; " +
			"call it from another goroutine, or read the pixels in OnDraw")
	}
	if w.opts.noOpenGL {
		return nil, errors.New("app: Screenshot of a window that was made with NoOpenGL, which only the program can read")
	}
	taken := make(chan shot, 1)
	w.shared.mu.Lock()
	w.shared.shots = append(w.shared.shots, taken)
	w.shared.mu.Unlock()
	if w.life.Load() == over {
		w.refuseShots()
	}
	w.Redraw()
	s := <-taken
	return s.picture, s.err
}

// takeShots reads back the frame that has just been drawn, if a Screenshot waits for it.
func (w *Win) takeShots(f *Frame) {
	w.shared.mu.Lock()
	shots := w.shared.shots
	w.shared.shots = nil
	w.shared.mu.Unlock()
	for _, taken := range shots {
		picture := image.NewNRGBA(image.Rect(0, 0, f.Width, f.Height))
		if len(picture.Pix) > 0 {
			readPixels(picture)
			flip(picture)
		}
		taken <- shot{picture: picture}
	}
}

// readPixels fills p with the pixels of the window, whatever the program has bound, and restores what was bound.
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
	defer set(gl.READ_FRAMEBUFFER_BINDING, 0, func(v int32) { gl.BindFramebuffer(gl.READ_FRAMEBUFFER, uint32(v)) })()
	defer set(gl.READ_BUFFER, gl.BACK, func(v int32) { gl.ReadBuffer(uint32(v)) })()
	defer set(gl.PIXEL_PACK_BUFFER_BINDING, 0, func(v int32) { gl.BindBuffer(gl.PIXEL_PACK_BUFFER, uint32(v)) })()
	defer store(gl.PACK_ALIGNMENT, 1)()
	defer store(gl.PACK_ROW_LENGTH, 0)()
	defer store(gl.PACK_SKIP_ROWS, 0)()
	defer store(gl.PACK_SKIP_PIXELS, 0)()
	gl.ReadPixels(0, 0, int32(p.Rect.Dx()), int32(p.Rect.Dy()), gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(p.Pix))
}

func (w *Win) refuseShots() {
	w.shared.mu.Lock()
	defer w.shared.mu.Unlock()
	for _, taken := range w.shared.shots {
		taken <- shot{err: ErrClosed}
	}
	w.shared.shots = nil
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
