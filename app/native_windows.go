package app

import (
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

func init() {
	natives[glfw.PlatformWin32] = func(w *glfw.Window) Native {
		return Native{Platform: PlatformWindows,
			Window: uintptr(unsafe.Pointer(w.GetWin32Window()))}
	}
}
