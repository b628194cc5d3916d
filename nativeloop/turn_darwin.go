//go:build !ios

package nativeloop

import (
	"math"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"
)

// appKit has what the main thread uses of AppKit; nil until that comes into the process.
var appKit library

// value returns that of a variable, of the size of a pointer.
func (l library) value(variable string) uintptr {
	address := l[variable]
	return **(**uintptr)(unsafe.Pointer(&address))
}

const forever = 1e10 // seconds

// turner returns what hands the events that have come to NSApp, as [NSApp run] does, and then waits
// until the run loop has handled a source.
func (l *runLoop) turner() (turn func() error) {
	return func() error {
		if onMain() { // elsewhere, AppKit ends the process
			handleEvents()
		}
		cf.run(mode(), forever, true)
		return nil
	}
}

// newOwnLoop has the run loop of the thread, which exists when it is first asked for.
func newOwnLoop(serve func(rest func())) (native, func() error, error) {
	l, err := attach(serve)
	return l, func() error {
		pool := objc.ID(objc.GetClass("NSAutoreleasePool")).Send(objc.RegisterName("new"))
		defer pool.Send(objc.RegisterName("drain"))
		const stopped = 2 // kCFRunLoopRunStopped
		if cf.run(cf.value("kCFRunLoopDefaultMode"), forever, true) == stopped {
			return ErrQuit
		}
		return nil
	}, err
}

// handleEvents hands the events that wait in NSApp, which the run loop does not look at, to NSApp.
// A source of the run loop has told of them.
func handleEvents() {
	if appKit == nil {
		appKit, _ = find(purego.RTLD_DEFAULT, "NSModalPanelRunLoopMode", "NSApp")
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

func onMain() bool { return int32(cf.process.call("pthread_main_np")) != 0 }

func nsApp() objc.ID {
	if appKit == nil {
		return 0
	}
	return objc.ID(appKit.value("NSApp"))
}

// mode returns the mode in which the thread waits: on the main one that of modal panels during one.
func mode() uintptr {
	if onMain() && nsApp() != 0 && nsApp().Send(objc.RegisterName("modalWindow")) != 0 {
		return appKit.value("NSModalPanelRunLoopMode")
	}
	return cf.value("kCFRunLoopDefaultMode")
}
