package app

import "sync/atomic"

// An Event is a pointer to one of the types of this package whose names end in Event. The function
// given to [Win.OnEvent] may keep it, send it on a channel, or let other goroutines read it, for as
// long as they like: the package never writes to an event that it has delivered, nor delivers it to
// a second window.
//
// An event is not allocated by itself. It is one of a block of 64, which the package uses again
// once the garbage collector has found that the program refers to none of them; a block is
// allocated if none is free. So a program that keeps no events allocates none once the collector
// has run, except after more than 120,000 of a type within one of its cycles, and a program that
// keeps one keeps its block.
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
