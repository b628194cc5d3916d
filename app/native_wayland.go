//go:build (linux || freebsd || netbsd || openbsd) && (wayland || !x11)

package app

import (
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

func init() {
	natives[glfw.PlatformWayland] = func(w *glfw.Window) Native {
		return Native{PlatformWayland, unsafe.Pointer(glfw.GetWaylandDisplay()),
			uintptr(unsafe.Pointer(w.GetWaylandWindow()))}
	}
}
