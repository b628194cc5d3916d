package app

import (
	"sync/atomic"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// An Event is a pointer to one of the types of this package whose names end in Event. The function
// of [Window.OnEvent] may keep it, send it on a channel, or let other goroutines read it: the
// package never writes to an event that it has delivered, nor delivers it to a second window.
type Event interface {
	// event reports whether only the last of several counts, if the handler is slow.
	event() bool
}

// A KeyEvent is a key pressed, held or released, by its place on a US keyboard. See TextEvent, too.
type KeyEvent struct {
	Key      glfw.Key
	Scancode int // the system's number of the key, also where Key is glfw.KeyUnknown
	Action   glfw.Action
	Mods     glfw.ModifierKey
}

// A TextEvent is a character that the user has typed, by the layout of the keyboard and dead keys.
type TextEvent struct{ Rune rune }

// A MouseButtonEvent is a button pressed or released.
type MouseButtonEvent struct {
	Button glfw.MouseButton
	Action glfw.Action
	Mods   glfw.ModifierKey
	X, Y   float64 // as in MouseMoveEvent
}

// A MouseMoveEvent is the position of the mouse, in screen coordinates from the upper left corner
// of the content. With [CursorDisabled] and [CursorRaw] the position has no bounds.
type MouseMoveEvent struct{ X, Y float64 }

// A MouseEnterEvent reports that the mouse has entered the window, or has left it.
type MouseEnterEvent struct{ Inside bool }

// A ScrollEvent is a turn of the wheel, or two fingers on a pad. Up and left are positive.
type ScrollEvent struct{ DX, DY float64 }

// A DropEvent has the files that the user has dragged onto the window.
type DropEvent struct{ Paths []string }

// A ResizeEvent is the size of the content: in pixels, and in screen coordinates.
type ResizeEvent struct {
	Width, Height             int
	ScreenWidth, ScreenHeight int
}

// A MoveEvent is the position of the upper left corner of the content on the screen.
type MoveEvent struct{ X, Y int }

// A ScaleEvent has the factors by which to scale text and images, of a monitor or a new setting.
type ScaleEvent struct{ X, Y float32 }

// A FocusEvent reports that the window has the keyboard, or has lost it.
type FocusEvent struct{ Focused bool }

// A StateEvent reports whether the window is minimized or maximized.
type StateEvent struct{ Minimized, Maximized bool }

// A MonitorEvent reports to each window that a monitor has been connected or disconnected.
type MonitorEvent struct {
	Name      string // of the monitor
	Connected bool
}

// A GamepadEvent reports to each window that a gamepad has come or gone since the first [Gamepads].
type GamepadEvent struct {
	ID        glfw.Joystick
	Name      string // empty if it has been disconnected
	Connected bool
}

// A CloseEvent reports that the user closes the window, which ends unless the handler calls Keep.
type CloseEvent struct{ keep uint32 }

// Keep keeps the window open. It does nothing once the function given to OnEvent has returned.
func (e *CloseEvent) Keep() { atomic.StoreUint32(&e.keep, 1) }

func (e *CloseEvent) kept() bool { return atomic.LoadUint32(&e.keep) != 0 }

func (*KeyEvent) event() bool         { return false }
func (*TextEvent) event() bool        { return false }
func (*MouseButtonEvent) event() bool { return false }
func (*MouseMoveEvent) event() bool   { return true }
func (*MouseEnterEvent) event() bool  { return false }
func (*ScrollEvent) event() bool      { return false }
func (*DropEvent) event() bool        { return false }
func (*ResizeEvent) event() bool      { return true }
func (*MoveEvent) event() bool        { return true }
func (*ScaleEvent) event() bool       { return false }
func (*FocusEvent) event() bool       { return false }
func (*StateEvent) event() bool       { return false }
func (*MonitorEvent) event() bool     { return false }
func (*GamepadEvent) event() bool     { return false }
func (*CloseEvent) event() bool       { return false }

// listen sets the callbacks of GLFW for the window. It runs on the main thread, and so do they.
func (w *Window) listen() {
	win, post := w.win, w.queue.post
	win.SetKeyCallback(func(_ *glfw.Window, k glfw.Key, code int, a glfw.Action,
		m glfw.ModifierKey) {
		post(&KeyEvent{k, code, a, m})
	})
	win.SetCharCallback(func(_ *glfw.Window, r rune) { post(&TextEvent{r}) })
	var at MouseMoveEvent
	win.SetCursorPosCallback(func(_ *glfw.Window, x, y float64) {
		at = MouseMoveEvent{x, y}
		post(&MouseMoveEvent{x, y})
	})
	win.SetMouseButtonCallback(func(_ *glfw.Window, b glfw.MouseButton, a glfw.Action,
		m glfw.ModifierKey) {
		post(&MouseButtonEvent{b, a, m, at.X, at.Y})
	})
	win.SetCursorEnterCallback(func(_ *glfw.Window, inside bool) { post(&MouseEnterEvent{inside}) })
	win.SetScrollCallback(func(_ *glfw.Window, x, y float64) { post(&ScrollEvent{x, y}) })
	win.SetDropCallback(func(_ *glfw.Window, paths []string) { post(&DropEvent{paths}) })
	win.SetPosCallback(func(_ *glfw.Window, x, y int) { post(&MoveEvent{x, y}) })
	win.SetFocusCallback(func(_ *glfw.Window, focused bool) { post(&FocusEvent{focused}) })
	var is StateEvent
	win.SetIconifyCallback(func(_ *glfw.Window, minimized bool) {
		is.Minimized = minimized
		post(&StateEvent{is.Minimized, is.Maximized})
		if w.minimized.Store(minimized); !minimized {
			w.request()
		}
	})
	win.SetMaximizeCallback(func(_ *glfw.Window, maximized bool) {
		is.Maximized = maximized
		post(&StateEvent{is.Minimized, is.Maximized})
	})
	resized := func(g geometry) {
		if w.geometry.Swap(&g).size != g.size {
			size := g.size
			post(&size)
			w.Redraw()
		}
	}
	win.SetContentScaleCallback(func(_ *glfw.Window, x, y float32) {
		post(&ScaleEvent{x, y})
		g := *w.geometry.Load()
		g.scaleX, g.scaleY = x, y
		resized(g)
	})
	// A change of size comes by one of these or by both, in either order. What they report counts: an
	// X server that is asked may answer with a size whose event is still to come.
	sized := func(rest func(size *ResizeEvent)) func(*glfw.Window, int, int) {
		return func(_ *glfw.Window, width, height int) {
			g := *w.geometry.Load()
			g.size = ResizeEvent{width, height, width, height}
			if glfw.GetPlatform() != glfw.PlatformX11 { // where pixels are screen coordinates
				rest(&g.size)
			}
			resized(g)
		}
	}
	win.SetFramebufferSizeCallback(sized(func(s *ResizeEvent) {
		s.ScreenWidth, s.ScreenHeight = win.GetSize()
	}))
	win.SetSizeCallback(sized(func(s *ResizeEvent) {
		s.Width, s.Height = win.GetFramebufferSize()
	}))
	win.SetRefreshCallback(func(*glfw.Window) { w.Redraw() })
	win.SetCloseCallback(func(*glfw.Window) {
		win.SetShouldClose(false) // Run decides
		post(&CloseEvent{})
	})
	var g geometry
	g.size.Width, g.size.Height = win.GetFramebufferSize()
	g.size.ScreenWidth, g.size.ScreenHeight = win.GetSize()
	g.scaleX, g.scaleY = win.GetContentScale()
	w.geometry.Store(&g)
	w.minimized.Store(win.GetAttrib(glfw.Iconified) == glfw.True)
}

// monitorChanged runs on the main thread when a monitor has come or is about to go.
func monitorChanged(m *glfw.Monitor, change glfw.PeripheralEvent) {
	name, rate := "", int64(0)
	_ = guarded(func() { name, rate = m.GetName(), refreshRate() })
	for _, w := range allWindows() {
		w.ticks.refresh.Store(rate)
		w.thread.Go(w.repace)
		w.queue.post(&MonitorEvent{name, change == glfw.Connected})
	}
}

// OnEvent sets the function that handles events, one after the other. It runs on the goroutine that
// called Run or, with [EventsOnDraw], on the window's thread.
func (w *Window) OnEvent(handle func(Event)) { w.onEvent.Store(handle) }

// deliver hands the oldest event to the function given to OnEvent, or returns false.
func (w *Window) deliver() bool {
	e := w.queue.get()
	if e == nil {
		return false
	}
	if handle, _ := w.onEvent.Load().(func(Event)); handle != nil {
		handle(e)
	}
	if c, ok := e.(*CloseEvent); ok && !c.kept() {
		w.Stop()
	}
	return true
}

// deliverAll delivers what has come, on the window's thread. It returns whether the window goes on.
func (w *Window) deliverAll() bool {
	w.inside = "OnEvent"
	for n := w.queue.len(); n > 0 && !w.stopped.Load() && w.deliver(); n-- {
	}
	return !w.stopped.Load()
}

// deliverNow runs on the window's thread, between frames.
func (w *Window) deliverNow() {
	if w.stopped.Load() || w.life.Load() != running {
		return
	}
	w.check(func() {
		if w.deliverAll() && w.queue.len() > 0 {
			w.eventCame()
		}
	})
}

// slow is the rate, in frames a second, below which events do not wait for a frame.
const slow = 20

// eventCame has events delivered with EventsOnDraw, unless the next frame will: drawPosted clears
// pending before drawFrame looks into the queue, and the last frame looks again.
func (w *Window) eventCame() {
	next := w.pending.Load() || w.continuous()
	if p := w.pace(); w.life.Load() == running && (!next || p > 0 && p < slow) {
		w.postDelivery()
	}
}

func (w *Window) receive() {
	for !w.stopped.Load() {
		if w.opts.eventsOnDraw || !w.deliver() {
			<-w.queue.notified
		}
	}
}
