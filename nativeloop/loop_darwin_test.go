//go:build !ios

package nativeloop_test

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/threadcall/threadcall/thread"
)

func needNative(testing.TB) {}

// newNative runs the thread's loop in the default mode.
func newNative() native {
	cf, err := purego.Dlopen("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
		purego.RTLD_NOW)
	if err != nil {
		panic(err)
	}
	var runInMode func(mode uintptr, seconds float64, returnAfterSource bool) int32
	purego.RegisterLibFunc(&runInMode, cf, "CFRunLoopRunInMode")
	mode, err := purego.Dlsym(cf, "kCFRunLoopDefaultMode")
	if err != nil {
		panic(err)
	}
	return native{
		turn: func(wait bool) (handled bool) {
			seconds := 0.
			if wait {
				seconds = 0.01
			}
			return runInMode(**(**uintptr)(unsafe.Pointer(&mode)), seconds, true) == 4
		},
		events: func() map[uint32]*event { return nil },
		end:    func() {},
	}
}

func newPost() (post func(f func())) { return nil }

func loopExists() bool { return true }

// quitOwn ends the loop of a thread, on which it is called.
func quitOwn(*thread.Thread) {
	cf, err := purego.Dlopen("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
		purego.RTLD_NOW)
	if err != nil {
		panic(err)
	}
	var current func() uintptr
	var stop func(loop uintptr)
	purego.RegisterLibFunc(&current, cf, "CFRunLoopGetCurrent")
	purego.RegisterLibFunc(&stop, cf, "CFRunLoopStop")
	stop(current())
}
