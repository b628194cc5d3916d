package app

// An Event is something that happened to a window: a pointer to one of the types in this file whose names end in
// Event. It may be used until the function given to [Win.OnEvent] returns; who wants to keep it copies what it points
// to. (So events need not be allocated.)
type Event interface{ event() }

// A KeyEvent is a key pressed, held or released. Key is the place on a US keyboard; for text, see TextEvent.
type KeyEvent struct {
	Key      Key
	Scancode int // the system's number of the key, also where Key is KeyUnknown
	Action   Action
	Mods     Mods
}

// A TextEvent is a character that the user has typed, with dead keys and the layout of the keyboard taken into account.
type TextEvent struct{ Rune rune }

// A MouseButtonEvent is a button pressed or released.
type MouseButtonEvent struct {
	Button MouseButton
	Action Action
	Mods   Mods
	X, Y   float64 // where, as in MouseMoveEvent
}

// A MouseMoveEvent says where the mouse is, in screen coordinates from the upper left corner of the content. While the
// cursor is captured (see [Win.SetCursorMode]) the position has no bounds.
type MouseMoveEvent struct{ X, Y float64 }

// A MouseEnterEvent says that the mouse has come in, or has left.
type MouseEnterEvent struct{ Inside bool }

// A ScrollEvent is a turn of the wheel, or two fingers on a pad. Up and left are positive.
type ScrollEvent struct{ DX, DY float64 }

// A DropEvent is files that were dragged onto the window. Paths is the receiver's to keep.
type DropEvent struct{ Paths []string }

// A ResizeEvent says how large the content is: in pixels, and in screen coordinates.
type ResizeEvent struct {
	Width, Height             int
	ScreenWidth, ScreenHeight int
}

// A MoveEvent says where the upper left corner of the content is on the screen.
type MoveEvent struct{ X, Y int }

// A ScaleEvent says how the system wants text and images scaled: the window has come to another monitor, or the user
// has changed the setting.
type ScaleEvent struct{ X, Y float32 }

// A FocusEvent says that the window has the keyboard, or has lost it.
type FocusEvent struct{ Focused bool }

// A StateEvent says that the window has been minimized or maximized, or neither any longer.
type StateEvent struct{ Minimized, Maximized bool }

// A CloseEvent says that the user wants to close the window, which it then does, unless Keep is called.
type CloseEvent struct{ keep bool }

// Keep keeps the window open.
func (e *CloseEvent) Keep() { e.keep = true }

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
func (*CloseEvent) event()       {}
