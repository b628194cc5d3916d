package screen

import (
	"encoding/binary"
	"os"
	"os/exec"
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/internal/testutil"
)

// Manage runs a window manager on the screen until the test ends. It skips the test if there is
// none to run.
func (s *Screen) Manage(t testing.TB) {
	t.Helper()
	path, err := exec.LookPath("openbox")
	if err != nil {
		t.Skip("NOT TESTED: no window manager: ", err, "; apt-get install openbox")
	}
	m := exec.Command(path, "--sm-disable")
	m.Env = append(os.Environ(), "DISPLAY="+s.Display, "HOME="+t.TempDir())
	Must(t, m.Start())
	t.Cleanup(func() {
		_ = m.Process.Kill()
		_ = m.Wait()
		testutil.Eventually(t, func() bool { return s.manager(t) == 0 }, "the window manager's end")
		// with which GLFW's next Init would fail
		for _, name := range []string{"_NET_SUPPORTING_WM_CHECK", "_NET_SUPPORTED"} {
			Must(t, xproto.DeletePropertyChecked(s.Conn, s.Root, s.Atom(t, name)).Check())
		}
	})
	testutil.Eventually(t, func() bool { return s.manager(t) != 0 }, "a window manager")
	s.showOne(t)
}

// showOne waits until the window manager shows windows. Those that are to be shown while it starts,
// it may never show.
func (s *Screen) showOne(t testing.TB) {
	t.Helper()
	w, err := xproto.NewWindowId(s.Conn)
	Must(t, err)
	Must(t, xproto.CreateWindowChecked(s.Conn, 0, w, s.Root, 0, 0, 10, 10, 0,
		xproto.WindowClassInputOutput, 0, 0, nil).Check())
	defer xproto.DestroyWindow(s.Conn, w)
	testutil.Eventually(t, func() bool {
		Must(t, xproto.MapWindowChecked(s.Conn, w).Check())
		a, err := xproto.GetWindowAttributes(s.Conn, w).Reply()
		return err == nil && a.MapState == xproto.MapStateViewable
	}, "a window")
}

// manager returns the window by which a window manager says that it runs, or zero.
func (s *Screen) manager(t testing.TB) xproto.Window {
	id := s.Property(t, s.Root, "_NET_SUPPORTING_WM_CHECK")
	if len(id) != 4 {
		return 0
	}
	w := xproto.Window(binary.LittleEndian.Uint32(id))
	name, err := xproto.GetProperty(s.Conn, false, w, s.Atom(t, "_NET_WM_NAME"),
		xproto.GetPropertyTypeAny, 0, 100).Reply()
	if err != nil || len(name.Value) == 0 {
		return 0 // the property has outlived it, or it is not ready
	}
	return w
}

// Size returns the size of a window.
func (s *Screen) Size(t testing.TB, w xproto.Window) (width, height int) {
	t.Helper()
	g, err := xproto.GetGeometry(s.Conn, xproto.Drawable(w)).Reply()
	Must(t, err)
	return int(g.Width), int(g.Height)
}
