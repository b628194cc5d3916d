// Package mainthread has the functions of github.com/gopxl/mainthread and
// github.com/faiface/mainthread, which call package mainthread of threadcall. A program names the
// module in a replace directive for theirs, so that its dependencies, which it cannot change, use
// the same main thread as the program does:
//
//	replace github.com/gopxl/mainthread/v2 => ../threadcall/compat/mainthread
//
// Unlike there, nothing panics or blocks before Run, CallNonBlock never waits, functions may call
// one another, and a panic reaches the caller. Run must be called from the main goroutine, once, or
// mainthread.Init of threadcall in its place. Where TestMain does that, tests and benchmarks may
// call Run again.
package mainthread

import (
	"context"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// CallQueueCap has no effect: the queue has no limit.
var CallQueueCap = 16

// Run is mainthread.Init of threadcall.
func Run(run func()) { mainthread.Init(run) }

// CallNonBlock queues f to run on the main thread. When Run has returned, f does not run.
func CallNonBlock(f func()) { mainthread.Go(f) }

// Call runs f on the main thread and returns after it. When Run has returned, f runs in place on
// the main thread, and on any other goroutine Call blocks until the process ends, as it always has.
func Call(f func()) {
	if !mainthread.Call(f) {
		mayRunHere(f == nil)
		f()
	}
}

// CallErr is Call for a function with an error, which it returns.
func CallErr(f func() error) error { return CallVal(f) }

// CallVal is Call for a function with a result, which it returns.
func CallVal[T any](f func() T) T {
	v, err := thread.EvalContext(context.Background(), mainthread.Thread(), f)
	if err != nil {
		mayRunHere(f == nil)
		v = f()
	}
	return v
}

// mayRunHere blocks unless the caller is on the main thread, or is about to call a nil function.
func mayRunHere(isNil bool) {
	if !isNil && !mainthread.On() {
		select {}
	}
}
