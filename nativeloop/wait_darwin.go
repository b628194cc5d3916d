//go:build !ios

package nativeloop

import (
	"math"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"
)

// cocoa has what a turn needs. Without AppKit in the process, app is nil.
var cocoa struct {
	run  func(mode uintptr, seconds float64, returnAfterSource bool) int32
	mode **uintptr // kCFRunLoopDefaultMode, whose value NSDefaultRunLoopMode has, too
	app  *objc.ID  // NSApp
}

var openCocoa = sync.OnceValue(func() error {
	library, err := purego.Dlopen(framework, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return err
	}
	var mode, app cFunction
	if err := find(library, map[string]*cFunction{"kCFRunLoopDefaultMode": &mode}); err != nil {
		return err
	}
	cocoa.mode = (**uintptr)(unsafe.Pointer(&mode))
	purego.RegisterLibFunc(&cocoa.run, library, "CFRunLoopRunInMode")
	if find(purego.RTLD_DEFAULT, map[string]*cFunction{"NSApp": &app}) == nil {
		cocoa.app = *(**objc.ID)(unsafe.Pointer(&app))
	}
	return nil
})

// turner returns what waits until the run loop has handled a source, and then hands the events that
// have come to NSApp, as [NSApp run] does.
func turner() (turn func() (quit bool), err error) {
	if err := openCocoa(); err != nil {
		return nil, err
	}
	mode := **cocoa.mode
	return func() bool {
		const forever = 1e10
		cocoa.run(mode, forever, true)
		if cocoa.app == nil || *cocoa.app == 0 {
			return false
		}
		pool := objc.ID(objc.GetClass("NSAutoreleasePool")).Send(objc.RegisterName("new"))
		defer pool.Send(objc.RegisterName("drain"))
		past := objc.ID(objc.GetClass("NSDate")).Send(objc.RegisterName("distantPast"))
		next := objc.RegisterName("nextEventMatchingMask:untilDate:inMode:dequeue:")
		for {
			event := cocoa.app.Send(next, uint(math.MaxUint), past, mode, true)
			if event == 0 {
				return false
			}
			cocoa.app.Send(objc.RegisterName("sendEvent:"), event)
		}
	}, nil
}
