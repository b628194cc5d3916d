// Package screen gives tests an X server whose screen is in memory, and acts as its user.
package screen

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/threadcall/threadcall/internal/testutil"
)

// A Screen is a connection to an X server that Start has started. It has no window manager. Tests
// that use the zero Screen, where windows do not use X11, are skipped.
type Screen struct {
	Display string // for the environment variable of that name
	Conn    *xgb.Conn
	Root    xproto.Window
	keys    map[xproto.Keysym]byte
}

// Start starts Xvfb with the arguments. It ends when its last client has gone.
func Start(args ...string) (*Screen, error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil, errors.New("windows do not use X11 here")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	args = append([]string{"-displayfd", "3", "-nolisten", "tcp", "-terminate", "-screen", "0",
		"1280x1024x24"}, args...)
	server := exec.Command("Xvfb", args...)
	server.ExtraFiles = []*os.File{w}
	err = server.Start()
	w.Close()
	if err != nil {
		return nil, fmt.Errorf("%w; apt-get install xvfb libgl1-mesa-dri", err)
	}
	go func() { _ = server.Wait() }()
	_ = r.SetReadDeadline(time.Now().Add(testutil.TimeLimit()))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		_ = server.Process.Kill()
		return nil, fmt.Errorf("starting Xvfb: %w", err)
	}
	return connect(":" + strings.TrimSpace(line))
}

func connect(display string) (*Screen, error) {
	xgb.Logger.SetOutput(io.Discard)
	os.Unsetenv("XAUTHORITY")
	os.Unsetenv("WAYLAND_DISPLAY")
	conn, err := xgb.NewConnDisplay(display)
	if err == nil {
		err = xtest.Init(conn)
	}
	if err != nil {
		return nil, err
	}
	setup := xproto.Setup(conn)
	s := &Screen{display, conn, setup.DefaultScreen(conn).Root, map[xproto.Keysym]byte{}}
	n := byte(setup.MaxKeycode - setup.MinKeycode + 1)
	layout, err := xproto.GetKeyboardMapping(conn, setup.MinKeycode, n).Reply()
	if err != nil {
		return nil, err
	}
	for i := range n {
		if sym := layout.Keysyms[int(i)*int(layout.KeysymsPerKeycode)]; s.keys[sym] == 0 {
			s.keys[sym] = byte(setup.MinKeycode) + i
		}
	}
	return s, nil
}

// Must fails the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// server returns the connection. It skips the test if there is no X server.
func (s *Screen) server(t testing.TB) *xgb.Conn {
	t.Helper()
	if s.Conn == nil {
		t.Skip("windows do not use X11 here")
	}
	return s.Conn
}

// Fake injects input as a keyboard or mouse would.
func (s *Screen) Fake(t testing.TB, kind, detail byte, x, y int) {
	t.Helper()
	Must(t, xtest.FakeInputChecked(s.server(t), kind, detail, 0, s.Root, int16(x), int16(y),
		0).Check())
}

// Key injects the press (xproto.KeyPress) or release (xproto.KeyRelease) of a key.
func (s *Screen) Key(t testing.TB, kind byte, sym xproto.Keysym) {
	t.Helper()
	s.Fake(t, kind, s.keys[sym], 0, 0)
}

// Type presses and releases a key, and lets two milliseconds pass: GLFW takes two presses within
// one for the same.
func (s *Screen) Type(t testing.TB, sym xproto.Keysym) {
	t.Helper()
	s.Key(t, xproto.KeyPress, sym)
	s.Key(t, xproto.KeyRelease, sym)
	time.Sleep(2 * time.Millisecond)
}

// Move moves the mouse.
func (s *Screen) Move(t testing.TB, x, y int) {
	t.Helper()
	s.Fake(t, xproto.MotionNotify, 0, x, y)
}

// Click presses and releases a button of the mouse.
func (s *Screen) Click(t testing.TB, button byte) {
	t.Helper()
	s.Fake(t, xproto.ButtonPress, button, 0, 0)
	s.Fake(t, xproto.ButtonRelease, button, 0, 0)
}

// Focus gives a window the keyboard.
func (s *Screen) Focus(t testing.TB, w xproto.Window) {
	t.Helper()
	Must(t, xproto.SetInputFocusChecked(s.server(t), xproto.InputFocusPointerRoot, w,
		xproto.TimeCurrentTime).Check())
}

// Configure sets where a window is (xproto.ConfigWindowX, …), or how large.
func (s *Screen) Configure(t testing.TB, w xproto.Window, mask uint16, values ...uint32) {
	t.Helper()
	Must(t, xproto.ConfigureWindowChecked(s.server(t), w, mask, values).Check())
}

// Atom returns the number of a name.
func (s *Screen) Atom(t testing.TB, name string) xproto.Atom {
	t.Helper()
	r, err := xproto.InternAtom(s.server(t), false, uint16(len(name)), name).Reply()
	Must(t, err)
	return r.Atom
}

// Send sends a client message to a window.
func (s *Screen) Send(t testing.TB, to xproto.Window, name string, data ...uint32) {
	t.Helper()
	data = append(data, make([]uint32, 5-len(data))...)
	m := xproto.ClientMessageEvent{
		Format: 32, Window: to, Type: s.Atom(t, name),
		Data: xproto.ClientMessageDataUnionData32New(data),
	}
	Must(t, xproto.SendEventChecked(s.Conn, false, to, 0, string(m.Bytes())).Check())
}

// Property returns a property of a window.
func (s *Screen) Property(t testing.TB, w xproto.Window, name string) []byte {
	t.Helper()
	r, err := xproto.GetProperty(s.server(t), false, w, s.Atom(t, name),
		xproto.GetPropertyTypeAny, 0, 1<<20).Reply()
	Must(t, err)
	return r.Value
}

// Picture returns what the screen shows.
func (s *Screen) Picture(t testing.TB) *image.RGBA {
	t.Helper()
	size, err := xproto.GetGeometry(s.server(t), xproto.Drawable(s.Root)).Reply()
	Must(t, err)
	p := image.NewRGBA(image.Rect(0, 0, int(size.Width), int(size.Height)))
	r, err := xproto.GetImage(s.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.Root), 0, 0,
		size.Width, size.Height, 1<<32-1).Reply()
	Must(t, err)
	for i := 0; i < len(p.Pix); i += 4 {
		p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3] = r.Data[i+2], r.Data[i+1], r.Data[i], 255
	}
	return p
}
