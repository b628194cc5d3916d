package app_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
)

// manage runs a window manager on the screen until the test ends. It skips the test if there is
// none to run.
func manage(t testing.TB) {
	t.Helper()
	path, err := exec.LookPath("openbox")
	if err != nil {
		t.Skip("NOT TESTED: no window manager: ", err, "; apt-get install openbox")
	}
	m := exec.Command(path, "--sm-disable")
	m.Env = append(os.Environ(), "DISPLAY="+x.Display, "HOME="+t.TempDir())
	screen.Must(t, m.Start())
	t.Cleanup(func() {
		_ = m.Process.Kill()
		_ = m.Wait()
		testutil.Eventually(t, func() bool { return manager(t) == 0 }, "the window manager's end")
		// with which GLFW's next Init would fail
		for _, name := range []string{"_NET_SUPPORTING_WM_CHECK", "_NET_SUPPORTED"} {
			screen.Must(t, xproto.DeletePropertyChecked(x.Conn, x.Root, x.Atom(t, name)).Check())
		}
	})
	testutil.Eventually(t, func() bool { return manager(t) != 0 }, "a window manager")
	showOne(t)
}

// showOne waits until the window manager shows windows. Those that are to be shown while it starts,
// it may never show.
func showOne(t testing.TB) {
	t.Helper()
	w, err := xproto.NewWindowId(x.Conn)
	screen.Must(t, err)
	screen.Must(t, xproto.CreateWindowChecked(x.Conn, 0, w, x.Root, 0, 0, 10, 10, 0,
		xproto.WindowClassInputOutput, 0, 0, nil).Check())
	defer xproto.DestroyWindow(x.Conn, w)
	testutil.Eventually(t, func() bool {
		screen.Must(t, xproto.MapWindowChecked(x.Conn, w).Check())
		a, err := xproto.GetWindowAttributes(x.Conn, w).Reply()
		return err == nil && a.MapState == xproto.MapStateViewable
	}, "a window")
}

// manager returns the window by which a window manager says that it runs, or zero.
func manager(t testing.TB) xproto.Window {
	id := x.Property(t, x.Root, "_NET_SUPPORTING_WM_CHECK")
	if len(id) != 4 {
		return 0
	}
	w := xproto.Window(binary.LittleEndian.Uint32(id))
	name, err := xproto.GetProperty(x.Conn, false, w, x.Atom(t, "_NET_WM_NAME"),
		xproto.GetPropertyTypeAny, 0, 100).Reply()
	if err != nil || len(name.Value) == 0 {
		return 0 // the property has outlived it, or it is not ready
	}
	return w
}

// sizeOnScreen returns the size that the X server has of a window.
func sizeOnScreen(t testing.TB, w xproto.Window) (width, height int) {
	t.Helper()
	g, err := xproto.GetGeometry(x.Conn, xproto.Drawable(w)).Reply()
	screen.Must(t, err)
	return int(g.Width), int(g.Height)
}
