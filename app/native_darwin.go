package app

import "github.com/go-gl/glfw/v3.4/glfw"

func init() {
	natives[glfw.PlatformCocoa] = func(w *glfw.Window) Native {
		return Native{Platform: PlatformCocoa, Window: uintptr(w.GetCocoaWindow())}
	}
}
