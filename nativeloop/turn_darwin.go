//go:build !ios

package nativeloop

import (
	"math"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"
)

// appKit has what the main thread uses of AppKit; zero until that comes into the process.
var appKit struct{ app, modal cFunction } // NSApp, NSModalPanelRunLoopMode

// value returns that of a variable, of the size of a pointer.
func (f cFunction) value() uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

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
		if cf.run(cf.mode, forever, true) == stopped {
			return ErrQuit
		}
		return nil
	}, err
}

// handleEvents hands the events that wait in NSApp, which the run loop does not look at, to NSApp.
// A source of the run loop has told of them.
func handleEvents() {
	if appKit.app == 0 {
		_ = find(purego.RTLD_DEFAULT, map[string]*cFunction{"NSModalPanelRunLoopMode": &appKit.modal,
			"NSApp": &appKit.app})
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

func onMain() bool { return int32(cf.onMain.call()) != 0 }

func nsApp() objc.ID {
	if appKit.app == 0 {
		return 0
	}
	return objc.ID(appKit.app.value())
}

// mode returns the mode in which the thread waits: on the main one that of modal panels during one.
func mode() uintptr {
	if onMain() && appKit.modal != 0 && nsApp() != 0 &&
		nsApp().Send(objc.RegisterName("modalWindow")) != 0 {
		return appKit.modal.value()
	}
	return cf.mode
}
