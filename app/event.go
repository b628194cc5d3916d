package app

import "sync/atomic"

// An Event is a pointer to one of the types of this package whose names end in Event. The function
// given to [Win.OnEvent] may keep it, send it on a channel, or let other goroutines read it: the
// package never writes to an event that it has delivered, nor delivers it to a second window.
//
// An event is one of a block of 64, which the package uses again once the garbage collector has
// found that the program refers to none of them. So a program that keeps no events allocates none
// once the collector has run, except after more than 120,000 of a type within one of its cycles.
type Event interface{ event() }

// A KeyEvent is a key pressed, held or released. Key is the place on a US keyboard; for text, see
// TextEvent.
type KeyEvent struct {
	Key      Key
	Scancode int // the system's number of the key, also where Key is KeyUnknown
	Action   Action
	Mods     Mods
}

// A TextEvent is a character that the user has typed, with dead keys and the layout of the keyboard
// taken into account.
type TextEvent struct{ Rune rune }

// A MouseButtonEvent is a button pressed or released.
type MouseButtonEvent struct {
	Button MouseButton
	Action Action
	Mods   Mods
	X, Y   float64 // as in MouseMoveEvent
}

// A MouseMoveEvent is the position of the mouse, in screen coordinates from the upper left corner
// of the content. While the cursor is captured (see [Win.SetCursorMode]) the position has no
// bounds.
type MouseMoveEvent struct{ X, Y float64 }

// A MouseEnterEvent reports that the mouse has entered the window, or has left it.
type MouseEnterEvent struct{ Inside bool }

// A ScrollEvent is a turn of the wheel, or two fingers on a pad. Up and left are positive.
type ScrollEvent struct{ DX, DY float64 }

// A DropEvent is files that the user has dragged onto the window. The handler may keep Paths.
type DropEvent struct{ Paths []string }

// A ResizeEvent is the size of the content: in pixels, and in screen coordinates.
type ResizeEvent struct {
	Width, Height             int
	ScreenWidth, ScreenHeight int
}

// A MoveEvent is the position of the upper left corner of the content on the screen.
type MoveEvent struct{ X, Y int }

// A ScaleEvent is by how much to scale text and images: the window has moved to another monitor, or
// the user has changed the setting.
type ScaleEvent struct{ X, Y float32 }

// A FocusEvent reports that the window has the keyboard, or has lost it.
type FocusEvent struct{ Focused bool }

// A StateEvent reports whether the window is minimized or maximized.
type StateEvent struct{ Minimized, Maximized bool }

// A MonitorEvent reports that a monitor has been connected or disconnected; each window receives
// it. [Monitors] returns those that there are now. A full-screen window whose monitor goes becomes
// as it was before Fullscreen, on another one.
type MonitorEvent struct {
	Monitor   *Monitor // as it was, if it has been disconnected
	Connected bool
}

// A CloseEvent reports that the user closes the window. It closes after the event, unless the
// handler calls Keep.
type CloseEvent struct{ keep uint32 }

// Keep keeps the window open. It does nothing once the function given to OnEvent has returned.
func (e *CloseEvent) Keep() { atomic.StoreUint32(&e.keep, 1) }

func (e *CloseEvent) kept() bool { return atomic.LoadUint32(&e.keep) != 0 }

func (*KeyEvent) event()         {}
func (*TextEvent) event()        {}
func (*MouseButtonEvent) event() {}
func (*MouseMoveEvent) event()   {}
func (*MouseEnterEvent) event()  {}
func (*ScrollEvent) event()      {}
func (*DropEvent) event()        {}
func (*ResizeEvent) event()      {}
func (*MoveEvent) event()        {}
func (*ScaleEvent) event()       {}
func (*FocusEvent) event()       {}
func (*StateEvent) event()       {}
func (*MonitorEvent) event()     {}
func (*CloseEvent) event()       {}

// OnEvent sets the function that handles events, one event after the other. It runs on the
// goroutine that called Run or, with [EventsOnDraw], on the window's thread.
//
// If it panics, Run panics with the same value; if it calls [runtime.Goexit], so does Run.
func (w *Win) OnEvent(handle func(Event)) {
	if handle == nil {
		w.onEvent.Store(nil)
	} else {
		w.onEvent.Store(&handle)
	}
}

// deliver hands the oldest event to the function given to OnEvent. It returns false if there is
// none.
func (w *Win) deliver() bool {
	e := w.queue.get()
	if e == nil {
		return false
	}
	if handle := w.onEvent.Load(); handle != nil {
		(*handle)(e)
	}
	if c, ok := e.(*CloseEvent); ok && !c.kept() {
		w.Stop()
	}
	return true
}

// deliverAll delivers the events that have come by now, on the window's thread. It returns whether
// the window goes on.
func (w *Win) deliverAll() bool {
	w.inside = "OnEvent"
	for n := w.queue.len(); n > 0 && !w.stopped.Load() && w.deliver(); n-- {
	}
	return !w.stopped.Load()
}

// deliverNow runs on the window's thread, between frames.
func (w *Win) deliverNow() {
	if w.stopped.Load() || w.life.Load() != running {
		return
	}
	completed := false
	defer w.check(&completed)
	if w.deliverAll() && w.queue.len() > 0 {
		w.eventCame()
	}
	completed = true
}

// slow is the rate, in frames a second, below which events do not wait for a frame.
const slow = 20

// eventCame has events delivered with EventsOnDraw, unless the next frame will do it: drawPosted
// clears pending before drawFrame looks into the queue, and when frames no longer follow each
// other, the last one looks again.
func (w *Win) eventCame() {
	next := w.pending.Load() || w.continuous()
	if rate := w.rate(); w.life.Load() == running && (!next || rate > 0 && rate < slow) {
		w.postDelivery()
	}
}

// receive delivers events until the window is stopped, in Run.
func (w *Win) receive() {
	for !w.stopped.Load() {
		if w.opts.eventsOnDraw || !w.deliver() {
			<-w.queue.notified
		}
	}
}
