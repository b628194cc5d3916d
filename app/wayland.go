package app

import "sync"

// A visibility keeps a window from being hidden while its thread shows a frame: Wayland ends programs that show one of a
// hidden window, and GLFW looks whether it is hidden before it shows it. Elsewhere showing a frame may wait for the monitor,
// and hiding must not.
type visibility struct{ mu sync.Mutex }

func (v *visibility) hold() {
	if state.wayland.Load() {
		v.mu.Lock()
	}
}

func (v *visibility) release() {
	if state.wayland.Load() {
		v.mu.Unlock()
	}
}
