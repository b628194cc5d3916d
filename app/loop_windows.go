package app

import (
	"errors"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
)

func init() { attach = attachNative }

// attachNative has calls of the main thread wake GLFW's loop, and run also in the loops that
// Windows has inside of it, while the user moves a window or has opened a menu.
//
// So they run inside of PollEvents, Terminate and Destroy of GLFW among them. PollEvents refers to
// the windows and the library only by what they clear.
func attachNative() (detach func()) {
	detach, err := nativeloop.Attach(mainthread.Loop())
	if errors.Is(err, nativeloop.ErrAttached) {
		return func() {} // the program has done it
	} else if err != nil {
		return attachByEvents()
	}
	return detach
}
