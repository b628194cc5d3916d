//go:build !windows && !darwin

package app_test

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/threadcall/threadcall/app"
)

// x is the user and the window manager of the tests: a connection to the X server of its own.
var x struct {
	*xgb.Conn
	root xproto.Window
	mu   sync.Mutex // of atoms
	atom map[string]xproto.Atom
	keys map[xproto.Keysym]xproto.Keycode
}

const advice = "apt-get install xvfb xorg-dev libgl1-mesa-dev libgl1-mesa-dri"

// openDisplay starts an X server that only the tests see, and connects to it.
func openDisplay() (why string) {
	display, _, err := startServer("-screen", "0", "1280x1024x24")
	if err != nil {
		return fmt.Sprintf("no X server: %v; %s", err, advice)
	}
	os.Setenv("DISPLAY", display)
	os.Setenv("LIBGL_ALWAYS_SOFTWARE", "1")
	os.Unsetenv("WAYLAND_DISPLAY")
	os.Unsetenv("XAUTHORITY")
	xgb.Logger.SetOutput(discard{})
	if x.Conn, err = xgb.NewConnDisplay(display); err == nil {
		err = xtest.Init(x.Conn)
	}
	if err != nil {
		return fmt.Sprintf("the X server at %s: %v; %s", display, err, advice)
	}
	setup := xproto.Setup(x.Conn)
	x.root = setup.DefaultScreen(x.Conn).Root
	x.atom = map[string]xproto.Atom{}
	x.keys = map[xproto.Keysym]xproto.Keycode{}
	first, n := setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1)
	layout, err := xproto.GetKeyboardMapping(x.Conn, first, n).Reply()
	if err != nil {
		return err.Error()
	}
	for i := range int(n) {
		sym := layout.Keysyms[i*int(layout.KeysymsPerKeycode)]
		if _, ok := x.keys[sym]; !ok {
			x.keys[sym] = first + xproto.Keycode(i)
		}
	}
	return ""
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// startServer starts Xvfb, which ends when its last client has gone.
func startServer(args ...string) (display string, server *exec.Cmd, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	server = exec.Command("Xvfb", append([]string{"-displayfd", "3", "-nolisten", "tcp", "-terminate"}, args...)...)
	server.ExtraFiles = []*os.File{w}
	err = server.Start()
	w.Close()
	if err != nil {
		return "", nil, err
	}
	_ = r.SetReadDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		_ = server.Process.Kill()
		_ = server.Wait()
		return "", nil, fmt.Errorf("Xvfb does not start: %w", err)
	}
	go func() { _ = server.Wait() }()
	return ":" + strings.TrimSpace(line), server, nil
}

// id returns the X window of w.
func id(w *app.Win) xproto.Window { return xproto.Window(w.ID()) }

// atom returns the number of a name.
func atom(t testing.TB, name string) xproto.Atom {
	x.mu.Lock()
	defer x.mu.Unlock()
	if a, ok := x.atom[name]; ok {
		return a
	}
	r, err := xproto.InternAtom(x.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		t.Fatal(err)
	}
	x.atom[name] = r.Atom
	return r.Atom
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fake injects input as a keyboard or mouse would.
func fake(t testing.TB, kind byte, detail byte, at image.Point) {
	t.Helper()
	must(t, xtest.FakeInputChecked(x.Conn, kind, detail, 0, x.root, int16(at.X), int16(at.Y), 0).Check())
}

func press(t testing.TB, sym xproto.Keysym) {
	t.Helper()
	fake(t, xproto.KeyPress, key(t, sym), image.Point{})
}
func release(t testing.TB, sym xproto.Keysym) {
	t.Helper()
	fake(t, xproto.KeyRelease, key(t, sym), image.Point{})
}

func key(t testing.TB, sym xproto.Keysym) byte {
	t.Helper()
	k, ok := x.keys[sym]
	if !ok {
		t.Fatalf("the X server has no key for %#x", sym)
	}
	return byte(k)
}

// typeKey presses and releases a key, not faster than a millisecond: GLFW takes what has the same time for one.
func typeKey(t testing.TB, sym xproto.Keysym) {
	t.Helper()
	press(t, sym)
	release(t, sym)
	time.Sleep(2 * time.Millisecond)
}

// click presses and releases a button of the mouse.
func click(t testing.TB, button byte) {
	t.Helper()
	fake(t, xproto.ButtonPress, button, image.Point{})
	fake(t, xproto.ButtonRelease, button, image.Point{})
}

// moveMouse moves the mouse on the screen.
func moveMouse(t testing.TB, px, py int) {
	t.Helper()
	fake(t, xproto.MotionNotify, 0, image.Pt(px, py))
}

// focus gives w the keyboard, as a window manager does.
func focus(t testing.TB, w *app.Win) {
	t.Helper()
	for _, to := range []xproto.Window{xproto.InputFocusPointerRoot, id(w)} { // it may have had it already
		must(t, xproto.SetInputFocusChecked(x.Conn, xproto.InputFocusPointerRoot, to, xproto.TimeCurrentTime).Check())
	}
}

// resize makes w as large as the user who drags its border.
func resize(t testing.TB, w *app.Win, width, height int) {
	t.Helper()
	must(t, xproto.ConfigureWindowChecked(x.Conn, id(w), xproto.ConfigWindowWidth|xproto.ConfigWindowHeight,
		[]uint32{uint32(width), uint32(height)}).Check())
}

// place moves w.
func place(t testing.TB, w *app.Win, px, py int) {
	t.Helper()
	must(t, xproto.ConfigureWindowChecked(x.Conn, id(w), xproto.ConfigWindowX|xproto.ConfigWindowY,
		[]uint32{uint32(px), uint32(py)}).Check())
}

// send sends a message to a window.
func send(t testing.TB, to xproto.Window, name string, data ...uint32) {
	t.Helper()
	data = append(data, make([]uint32, 5-len(data))...)
	m := xproto.ClientMessageEvent{
		Format: 32, Window: to, Type: atom(t, name), Data: xproto.ClientMessageDataUnionData32New(data),
	}
	must(t, xproto.SendEventChecked(x.Conn, false, to, 0, string(m.Bytes())).Check())
}

// closeByUser sends what a window manager sends when the user clicks on the cross.
func closeByUser(t testing.TB, w *app.Win) {
	t.Helper()
	send(t, id(w), "WM_PROTOCOLS", uint32(atom(t, "WM_DELETE_WINDOW")), xproto.TimeCurrentTime)
}

// property returns a property of w.
func property(t testing.TB, w *app.Win, name string) []byte {
	t.Helper()
	r, err := xproto.GetProperty(x.Conn, false, id(w), atom(t, name), xproto.GetPropertyTypeAny, 0, 1<<20).Reply()
	must(t, err)
	return r.Value
}

// onScreen returns the colour that the X server shows at a point of w.
func onScreen(t testing.TB, w *app.Win, px, py int) color.NRGBA {
	t.Helper()
	r, err := xproto.GetImage(x.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(id(w)), int16(px), int16(py), 1, 1, 1<<32-1).Reply()
	must(t, err)
	return color.NRGBA{r.Data[2], r.Data[1], r.Data[0], 255}
}
