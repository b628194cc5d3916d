//go:build (linux || freebsd || netbsd || openbsd) && (x11 || !wayland)

package app

import (
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

func init() {
	natives[glfw.PlatformX11] = func(w *glfw.Window) Native {
		return Native{PlatformX11, unsafe.Pointer(glfw.GetX11Display()), uintptr(w.GetX11Window())}
	}
}
