package app_test

import (
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

func user32(function string, args ...uintptr) uintptr {
	r, _, _ := syscall.NewLazyDLL("user32.dll").NewProc(function).Call(args...)
	return r
}

const (
	sysCommand, cancelMode, keyDown = 0x112, 0x1f, 0x100 // WM_
	move, systemMenu                = 0xf010, 0xf093     // SC_MOVE, SC_MOUSEMENU by HTSYSMENU
	escape                          = 0x1b               // VK_ESCAPE
	inMoveSize, inMenu              = 0x2, 0x4           // GUI_
)

// mode returns which loop of Windows a window's thread is in.
func mode(window uintptr) uint32 {
	var info struct {
		size, flags uint32
		windows     [6]uintptr
		caret       [4]int32
	}
	info.size = uint32(unsafe.Sizeof(info))
	user32("GetGUIThreadInfo", user32("GetWindowThreadProcessId", window, 0),
		uintptr(unsafe.Pointer(&info)))
	return info.flags
}

// While Windows moves a window or shows a menu, frames, calls, timers and events go on, and another
// window may come and go.
func TestLoop_modal(t *testing.T) {
	for name, c := range map[string]struct {
		command       uintptr
		in            uint32
		end, argument uintptr
	}{
		"move":        {move, inMoveSize, keyDown, escape},
		"system menu": {systemMenu, inMenu, cancelMode, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, frames := show(t)
			events := listen(w, nil)
			native, err := w.Native()
			if err != nil {
				t.Fatal(err)
			}
			mainthread.Call(func() { putInside(native.Window) })
			var corner [4]uint32
			user32("GetWindowRect", native.Window, uintptr(unsafe.Pointer(&corner)))
			at := uintptr((corner[1]+8)<<16 | corner[0] + 8)
			user32("PostMessageW", native.Window, sysCommand, c.command, at)
			inside := func() bool { return mode(native.Window)&c.in != 0 }
			testutil.Eventually(t, inside, "the loop")
			frames.goesOn(t, 10, "frames in the loop")
			for range 100 {
				if !mainthread.Call(func() {}) {
					t.Fatal("a call was refused")
				}
			}
			rang := make(chan bool)
			mainthread.After(time.Millisecond, func() { close(rang) })
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
				user32("PostMessageW", native.Window, c.end, c.argument, 0)
				return !inside()
			}, "the end of the loop")
			frames.goesOn(t, 10, "frames after the loop")
		})
	}
}

// putInside puts a window into another, so that Windows moves it, and not X11's window manager for
// Wine.
func putInside(window uintptr) {
	const style = ^uintptr(15) // GWL_STYLE
	class, _ := syscall.UTF16PtrFromString("Static")
	parent := user32("CreateWindowExW", 0, uintptr(unsafe.Pointer(class)), 0, 0x10cf0000, 0, 0, 600,
		400, 0, 0, 0, 0)
	user32("SetWindowLongPtrW", window, style, 0x50c80000) // a visible child with a title
	user32("SetParent", window, parent)
}
