package app

import (
	"reflect"

	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/mainthread"
)

// ID returns the number of the window in the X server, or 0 without one.
func (w *Window) ID() (id uint64) {
	_ = w.do(func() { // the method is not there on all systems
		if m := reflect.ValueOf(w.win).MethodByName("GetX11Window"); m.IsValid() {
			id = m.Call(nil)[0].Uint()
		}
	})
	return id
}

// Done is closed when the window has been destroyed.
func (w *Window) Done() <-chan struct{} { return w.gone }

// Windows returns how many windows there are, those of NewContext too, on the main thread.
func Windows() int { return len(allWindows()) }

// ChangeGamepad does what GLFW does when a gamepad comes or goes.
func ChangeGamepad(id glfw.Joystick, connected bool) {
	mainthread.Call(func() { gamepadChanged(id, "pad", connected) })
}

// Frames returns how many frames there have been, on the window's thread.
func (w *Window) Frames() int64 { return int64(w.frame.Number) }

// ReadEvents reads what the X server has sent, as a thread that waits for a reply, and leaves it to
// the main thread.
func ReadEvents() { eventsQueued() }
