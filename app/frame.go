package app

import (
	"context"
	"errors"
	"image"
	"sync/atomic"
	"time"

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
}

// drawing draws frames. Each is a function on the window's thread; others run between frames.
type drawing struct {
	frame     Frame
	first     time.Time
	run       func() // drawPosted, made once
	gl        glFunctions
	context   *nsgl.Context // or nil
	ticks     frameClock
	shot      chan<- *image.NRGBA // of the frame that is drawn for a Screenshot, or nil
	inside    string              // the method to which the function was given that runs
	pending   atomic.Bool         // a frame has been posted
	minimized atomic.Bool
}

func (w *Window) schedule() {
	if w.pending.CompareAndSwap(false, true) && !w.thread.Go(w.run) {
		w.Stop()
	}
}

// Redraw draws a frame soon, if the window is drawn [OnDemand]. Several calls before the frame
// begins result in one frame. If the window is minimized, the frame is drawn when it is restored.
func (w *Window) Redraw() {
	if !w.continuous() {
		w.request()
	}
}

func (w *Window) request() {
	if w.life.Load() == running {
		w.schedule()
	}
}

func (w *Window) continuous() bool {
	draw, _ := w.onDraw.Load().(func(*Frame))
	return draw != nil && w.life.Load() == running && w.pace() != OnDemand && !w.minimized.Load()
}

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
	} else {
		w.check(w.draw)
	}
}

// draw draws a frame and has the next follow.
func (w *Window) draw() {
	if w.opts.eventsOnDraw && !w.deliverAll() {
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
	g := w.geometry.Load()
	f.Width, f.Height = g.size.Width, g.size.Height
	f.ScreenWidth, f.ScreenHeight = g.size.ScreenWidth, g.size.ScreenHeight
	f.ScaleX, f.ScaleY = g.scaleX, g.scaleY
	if !w.opts.api.none() {
		w.gl.viewport(f.Width, f.Height)
	}
	if draw, _ := w.onDraw.Load().(func(*Frame)); draw != nil {
		w.inside = "OnDraw"
		draw(f)
	} else if !w.opts.api.none() {
		w.gl.clear()
	}
	if w.opts.api.none() {
		took := time.Since(w.first) - now
		w.ticks.swapped(took, took) // the program shows the frame in OnDraw
	} else {
		if w.shot != nil {
			w.shot <- w.gl.picture(f.Width, f.Height)
		}
		w.show()
	}
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
	_ = guarded(func() {
		if state.wayland.Load() {
			w.hiding.Lock()
			defer w.hiding.Unlock()
		}
		w.win.SwapBuffers()
	})
	end := time.Now()
	w.ticks.swapped(end.Sub(start), end.Sub(w.first)-w.frame.Time)
	wakeForEvents()
}

// Screenshot draws a frame and returns its picture, before Run, too. It returns an error on the
// window's thread, and if a function there does not return within five seconds.
func (w *Window) Screenshot() (*image.NRGBA, error) {
	if w.thread.On() {
		return nil, errors.New("app: Screenshot on the window's thread; call it elsewhere")
	}
	if w.opts.api.none() {
		return nil, errors.New("app: Screenshot of a window that has no context")
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
