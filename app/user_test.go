package app_test

import (
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/threadcall/threadcall/app/internal/screen"
)

// A desktop is the screen of the tests, which act as its user.
type desktop struct {
	*screen.Screen
	keys map[xproto.Keysym]byte // nil until Key is called
}

// Fake injects input as a keyboard or mouse would.
func (s *desktop) Fake(t testing.TB, kind, detail byte, x, y int) {
	t.Helper()
	screen.Must(t, xtest.FakeInputChecked(s.Server(t), kind, detail, 0, s.Root, int16(x), int16(y),
		0).Check())
}

// Key injects the press (xproto.KeyPress) or release (xproto.KeyRelease) of a key.
func (s *desktop) Key(t testing.TB, kind byte, sym xproto.Keysym) {
	t.Helper()
	if s.keys == nil {
		s.keys = map[xproto.Keysym]byte{}
		first, last := xproto.Setup(s.Server(t)).MinKeycode, xproto.Setup(s.Conn).MaxKeycode
		layout, err := xproto.GetKeyboardMapping(s.Conn, first, byte(last-first+1)).Reply()
		screen.Must(t, err)
		for i := range layout.Keysyms {
			n := int(layout.KeysymsPerKeycode)
			if sym := layout.Keysyms[i]; i%n == 0 && s.keys[sym] == 0 {
				s.keys[sym] = byte(int(first) + i/n)
			}
		}
	}
	s.Fake(t, kind, s.keys[sym], 0, 0)
}

// Type presses and releases a key, and lets two milliseconds pass: GLFW takes two presses within
// one for the same.
func (s *desktop) Type(t testing.TB, sym xproto.Keysym) {
	t.Helper()
	s.Key(t, xproto.KeyPress, sym)
	s.Key(t, xproto.KeyRelease, sym)
	time.Sleep(2 * time.Millisecond)
}

// Move moves the mouse.
func (s *desktop) Move(t testing.TB, x, y int) {
	t.Helper()
	s.Fake(t, xproto.MotionNotify, 0, x, y)
}

// Click presses and releases a button of the mouse.
func (s *desktop) Click(t testing.TB, button byte) {
	t.Helper()
	s.Fake(t, xproto.ButtonPress, button, 0, 0)
	s.Fake(t, xproto.ButtonRelease, button, 0, 0)
}

// Focus gives a window the keyboard.
func (s *desktop) Focus(t testing.TB, w xproto.Window) {
	t.Helper()
	screen.Must(t, xproto.SetInputFocusChecked(s.Server(t), xproto.InputFocusPointerRoot, w,
		xproto.TimeCurrentTime).Check())
}

// Configure sets where a window is (xproto.ConfigWindowX, …), or how large.
func (s *desktop) Configure(t testing.TB, w xproto.Window, mask uint16, values ...uint32) {
	t.Helper()
	screen.Must(t, xproto.ConfigureWindowChecked(s.Server(t), w, mask, values).Check())
}

// Atom returns the number of a name.
func (s *desktop) Atom(t testing.TB, name string) xproto.Atom {
	t.Helper()
	r, err := xproto.InternAtom(s.Server(t), false, uint16(len(name)), name).Reply()
	screen.Must(t, err)
	return r.Atom
}

// Send sends a client message to a window.
func (s *desktop) Send(t testing.TB, to xproto.Window, name string, data ...uint32) {
	t.Helper()
	data = append(data, make([]uint32, 5-len(data))...)
	m := xproto.ClientMessageEvent{
		Format: 32, Window: to, Type: s.Atom(t, name),
		Data: xproto.ClientMessageDataUnionData32New(data),
	}
	screen.Must(t, xproto.SendEventChecked(s.Conn, false, to, 0, string(m.Bytes())).Check())
}

// Property returns a property of a window.
func (s *desktop) Property(t testing.TB, w xproto.Window, name string) []byte {
	t.Helper()
	r, err := xproto.GetProperty(s.Server(t), false, w, s.Atom(t, name),
		xproto.GetPropertyTypeAny, 0, 1<<20).Reply()
	screen.Must(t, err)
	return r.Value
}
