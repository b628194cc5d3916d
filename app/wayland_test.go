package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// weston starts a Wayland compositor in a window of the X server, and returns the environment of
// its clients.
func weston(t *testing.T) (env []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there is no Wayland here")
	}
	if _, err := exec.LookPath("weston"); err != nil {
		t.Skip("NOT TESTED: no Wayland compositor: apt-get install weston libegl1")
	}
	dir, err := os.MkdirTemp("", "") // t.TempDir is too long for a socket
	screen.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	env = []string{"XDG_RUNTIME_DIR=" + dir, "WAYLAND_DISPLAY=app"}
	server := exec.Command("weston", "--backend=x11-backend.so", "--use-pixman",
		"--socket=app", "--idle-time=0", "--width=1000", "--height=800")
	server.Env = append(os.Environ(), env[0])
	var log strings.Builder
	server.Stdout, server.Stderr = &log, &log
	screen.Must(t, server.Start())
	ended := make(chan struct{})
	go func() { _ = server.Wait(); close(ended) }()
	t.Cleanup(func() { _ = server.Process.Kill(); <-ended })
	testutil.Eventually(t, func() bool {
		select {
		case <-ended:
			t.Skip("NOT TESTED: weston has ended:", log.String())
		default:
		}
		_, err := os.Stat(filepath.Join(dir, "app"))
		return err == nil
	}, "weston listens")
	return append(env, "DISPLAY=")
}

// With Wayland everything returns, also what Wayland does not have, and also while the window is
// not visible.
func TestWayland_returnsFromEverything(t *testing.T) {
	out, status := testutil.Program(t, "wayland", weston(t)...)
	if status != 0 || !strings.HasSuffix(out, "all good\n") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func onWayland() {
	mainthread.Init(func() {
		fail := func(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
		must(app.Init())
		w, err := app.NewWindow(openGL, app.Size(200, 150), app.EventsOnDraw())
		must(err)
		must(w.Do(func(*glfw.Window) {
			if p := glfw.GetPlatform(); p != glfw.PlatformWayland {
				fail("platform %#x", p)
			}
		}))
		w.OnDraw(quarters)
		shoot := func(when string) {
			for tries := 0; ; tries++ { // the size may change in the middle of a frame
				p, err := w.Screenshot()
				must(err)
				if hasCorners(p, p.Rect) {
					return
				}
				if tries == 50 {
					fail("the picture has wrong colours %s", when)
				}
			}
		}
		ended := make(chan struct{})
		go func() { w.Run(); close(ended) }()
		shoot("at first")
		w.SetFullScreen(w.Monitor())
		shoot("on the full screen")
		w.SetFullScreen(nil)
		w.Hide()
		for range 3 {
			shoot("while hidden")
		}
		w.Show()
		must(w.Do((*glfw.Window).Iconify))
		for range 3 {
			shoot("while minimized")
		}
		w.Thread().Call(func() {})
		must(app.SetClipboard("text"))
		// The compositor gives the clipboard to the window that has the keyboard only, once it
		// knows which.
		if text, err := app.Clipboard(); text != "" && text != "text" || err != nil {
			fail("the clipboard holds %q, %v", text, err)
		}
		change(w)
		for _, opts := range [][]app.Option{{app.Share(w)}, {nil}, {openGL, app.OnDemand},
			{openGL, app.Unlimited}} {
			v, err := app.NewWindow(append(opts, app.Size(100, 100))...)
			must(err)
			v.OnDraw(func(f *app.Frame) {
				v.Redraw()
				if f.Number == 10 {
					v.Stop()
				}
			})
			v.Run()
		}
		version := make(chan *uint8, 1)
		w.Thread().Call(func() { version <- gl.GetString(gl.VERSION) })
		if <-version == nil {
			fail("the context of the first window is gone")
		}
		w.Stop()
		<-ended
		app.Terminate()
		fmt.Println("all good")
	})
}
