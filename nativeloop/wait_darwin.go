//go:build !ios

package nativeloop

import (
	"math"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"
)

// cocoa has what a turn needs.
var cocoa struct {
	run    func(mode uintptr, seconds float64, returnAfterSource bool) int32
	mode   cFunction // kCFRunLoopDefaultMode, whose value NSDefaultRunLoopMode has, too
	onMain cFunction

	// The main thread uses these. Without AppKit in the process, which may come later, they are zero.
	app, modal cFunction // NSApp, NSModalPanelRunLoopMode
}

var openCocoa = sync.OnceValue(func() error {
	library, err := purego.Dlopen(framework, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return err
	}
	if err := find(library, map[string]*cFunction{"kCFRunLoopDefaultMode": &cocoa.mode}); err != nil {
		return err
	}
	purego.RegisterLibFunc(&cocoa.run, library, "CFRunLoopRunInMode")
	return find(purego.RTLD_DEFAULT, map[string]*cFunction{"pthread_main_np": &cocoa.onMain})
})

// value returns that of a variable, of the size of a pointer.
func (f cFunction) value() uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// turner returns what hands the events that have come to NSApp, as [NSApp run] does, and then waits
// until the run loop has handled a source.
func (l *runLoop) turner() (turn func() error, err error) {
	if err := openCocoa(); err != nil {
		return nil, err
	}
	return func() error {
		if int32(cocoa.onMain.call()) != 0 { // elsewhere, AppKit ends the process
			handleEvents()
		}
		const forever = 1e10
		cocoa.run(mode(), forever, true)
		return nil
	}, nil
}

// handleEvents hands the events that wait in NSApp, which the run loop does not look at, to NSApp.
// A source of the run loop has told of them.
func handleEvents() {
	if cocoa.app == 0 {
		_ = find(purego.RTLD_DEFAULT, map[string]*cFunction{"NSModalPanelRunLoopMode": &cocoa.modal,
			"NSApp": &cocoa.app})
	}
	if nsApp() == 0 {
		return
	}
	pool := objc.ID(objc.GetClass("NSAutoreleasePool")).Send(objc.RegisterName("new"))
	defer pool.Send(objc.RegisterName("drain"))
	past := objc.ID(objc.GetClass("NSDate")).Send(objc.RegisterName("distantPast"))
	next := objc.RegisterName("nextEventMatchingMask:untilDate:inMode:dequeue:")
	for {
		event := nsApp().Send(next, uint(math.MaxUint), past, mode(), true)
		if event == 0 {
			return
		}
		nsApp().Send(objc.RegisterName("sendEvent:"), event)
	}
}

// nsApp returns NSApp, or zero.
func nsApp() objc.ID {
	if cocoa.app == 0 {
		return 0
	}
	return objc.ID(cocoa.app.value())
}

// mode returns the mode in which the thread waits: on the main one that of modal panels while there
// is one, as AppKit does.
func mode() uintptr {
	if int32(cocoa.onMain.call()) != 0 && cocoa.modal != 0 && nsApp() != 0 &&
		nsApp().Send(objc.RegisterName("modalWindow")) != 0 {
		return cocoa.modal.value()
	}
	return cocoa.mode.value()
}
