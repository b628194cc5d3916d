//go:build !ios

package nativeloop

import "github.com/ebitengine/purego/objc"

// newOwnLoop has the run loop of the thread, which exists when it is first asked for.
func newOwnLoop(serve func(rest func())) (own ownLoop, err error) {
	if err := openCocoa(); err != nil {
		return own, err
	}
	own.native, err = attach(serve)
	own.turn = func() error {
		pool := objc.ID(objc.GetClass("NSAutoreleasePool")).Send(objc.RegisterName("new"))
		defer pool.Send(objc.RegisterName("drain"))
		const forever, stopped = 1e10, 2 // kCFRunLoopRunStopped
		if cocoa.run(cocoa.mode.value(), forever, true) == stopped {
			return ErrQuit
		}
		return nil
	}
	own.leave = func() {}
	return own, err
}
