package app

import (
	"errors"
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// A Platform is a window system.
type Platform int

// The window systems.
const (
	PlatformX11 Platform = iota + 1
	PlatformWayland
	PlatformWindows
	PlatformCocoa // of macOS
)

// A Native is what the window system knows a window as, for libraries that draw into it or change
// it in ways of their own:
//
//	Platform         Display      Window
//	PlatformX11      *Display     Window, the number of the window
//	PlatformWayland  *wl_display  *wl_surface
//	PlatformWindows               HWND
//	PlatformCocoa                 *NSWindow
//
// It must not be used once the window is closed. What may be called on which thread is the system's
// affair: Cocoa, and most of Windows, require the main thread, see [mainthread.Call].
type Native struct {
	Platform Platform
	Display  unsafe.Pointer
	Window   uintptr
}

// natives has the function of each window system in this program.
var natives = map[glfw.Platform]func(*glfw.Window) Native{}

// Native returns what the window system knows the window as, or [ErrClosed].
func (w *Win) Native() (n Native, err error) {
	err = errors.New("app: this window system has no native handles")
	if gone := w.do(func() {
		if f := natives[glfw.GetPlatform()]; f != nil {
			n, err = f(w.win), nil
		}
	}); gone != nil {
		return Native{}, gone
	}
	return n, err
}
