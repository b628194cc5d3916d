package app_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

var user32 = testutil.User32

const (
	sysCommand, cancelMode, keyDown = 0x112, 0x1f, 0x100 // WM_
	move, systemMenu                = 0xf010, 0xf093     // SC_MOVE, SC_MOUSEMENU by HTSYSMENU
	escape                          = 0x1b               // VK_ESCAPE
)

// While Windows moves a window or shows a menu, frames, calls, timers and events go on, and another
// window may come and go.
func TestCall_runsInModalLoops(t *testing.T) {
	for name, c := range map[string]struct {
		command       int
		in            uint32 // of testutil.GUIMode
		end, argument int
	}{
		"move":        {move, testutil.InMoveSize, keyDown, escape},
		"system menu": {systemMenu, testutil.InMenu, cancelMode, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, frames := show(t)
			events := listen(w, nil)
			var window uintptr
			with(t, w, func(win *glfw.Window) {
				window = uintptr(unsafe.Pointer(win.GetWin32Window()))
				putInside(window)
			})
			var corner [4]uint32
			user32("GetWindowRect", window, unsafe.Pointer(&corner))
			at := uintptr((corner[1]+8)<<16 | corner[0] + 8)
			user32("PostMessageW", window, sysCommand, c.command, at)
			inside := func() bool { return testutil.GUIMode(window)&c.in != 0 }
			testutil.Eventually(t, inside, "the loop")
			frames.goesOn(t, 10, "frames in the loop")
			for range 100 {
				if !mainthread.Call(func() {}) {
					t.Fatal("a call was refused")
				}
			}
			rang := make(chan bool)
			mainthread.Thread().AfterFunc(time.Millisecond, func() { close(rang) })
			testutil.Arrives(t, rang)
			w.SetSize(500, 160)
			comes(t, events, func(e app.ResizeEvent) bool { return e.ScreenWidth > 400 })
			other, more := show(t)
			more.goesOn(t, 10, "frames of another window")
			other.Stop()
			testutil.Arrives(t, other.Done())
			if !inside() {
				t.Error("the loop has ended before")
			}
			testutil.Eventually(t, func() bool {
				user32("PostMessageW", window, c.end, c.argument, 0)
				return !inside()
			}, "the end of the loop")
			frames.goesOn(t, 10, "frames after the loop")
		})
	}
}

// putInside puts a window into another, so that Windows moves it, and not X11's window manager for
// Wine.
func putInside(window uintptr) {
	const style = -16 // GWL_STYLE
	parent := user32("CreateWindowExW", 0, "Static", "parent", 0x10cf0000, 0, 0, 600, 400, 0, 0, 0,
		0)
	user32("SetWindowLongPtrW", window, style, 0x50c80000) // a visible child with a title
	user32("SetParent", window, parent)
}
