package app

// An Event is a pointer to one of the types of this package whose names end in Event. It is valid until the function given
// to [Win.OnEvent] returns, so that events need not be allocated; copy what it points to in order to keep it.
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
	X, Y   float64 // as in MouseMoveEvent
}

// A MouseMoveEvent is the position of the mouse, in screen coordinates from the upper left corner of the content. While the
// cursor is captured (see [Win.SetCursorMode]) the position has no bounds.
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

// A ScaleEvent is by how much to scale text and images: the window has moved to another monitor, or the user has changed
// the setting.
type ScaleEvent struct{ X, Y float32 }

// A FocusEvent reports that the window has the keyboard, or has lost it.
type FocusEvent struct{ Focused bool }

// A StateEvent reports whether the window is minimized or maximized.
type StateEvent struct{ Minimized, Maximized bool }

// A CloseEvent reports that the user closes the window. It closes after the event, unless the handler calls Keep.
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
