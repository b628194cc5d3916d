package thread

import (
	"context"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/access"
)

// Serve runs what was queued before it was called, and returns how many functions it ran. It does
// not wait. It is for adopted threads: a host's event loop calls it each time that OnWake has
// notified it, unless it calls [Thread.Wait]. It may also be called inside a function that runs on
// the thread, from a coroutine of [iter.Pull], too.
//
// If one of the functions calls [runtime.Goexit], that ends the caller of Serve as well: the
// goroutine is the same.
//
// Serve panics if the caller is not on the thread.
//
//threadcall:noalloc
func (t *Thread) Serve() int {
	if !t.mayServe("Serve") {
		return 0
	}
	n := t.e.Serve()
	runtime.KeepAlive(t) // or what is queued might be refused
	return n
}

// ServeFor is Serve with a budget: it begins no function when d has passed. As Serve, it panics off
// the thread.
//
// So a flood of posted functions does not cost a frame. The next Serve runs what is left, in its
// order, and the function that OnWake has set is called again for it. ServeFor runs at least one
// function, if any is queued, even for a d of zero or less, and each to its end.
//
//threadcall:noalloc
func (t *Thread) ServeFor(d time.Duration) int { return t.serveFor(d, nil) }

func init() {
	access.ServeFor = func(t any, d time.Duration, rest func()) int {
		return t.(*Thread).serveFor(d, rest)
	}
	access.WakeOf = func(t any) (wake func(), adopted bool) {
		e := t.(*Thread).e
		return e.WakeOf(), e.Adopted()
	}
	access.Terminated = func(t any) bool { return t.(*Thread).e.Terminated() }
}

// serveFor calls rest, if that is not nil, before it runs the first of several functions.
//
//threadcall:noalloc
func (t *Thread) serveFor(d time.Duration, rest func()) int {
	if !t.mayServe("ServeFor") {
		return 0
	}
	n := t.e.ServeFor(d, rest)
	runtime.KeepAlive(t)
	return n
}

// ServeContext runs what is queued and what comes, until ctx is done or the thread is terminated,
// and returns [context.Cause](ctx) or [ErrTerminated]. It blocks while there is nothing to do. It
// may be called inside a function that runs on the thread, which must wait for something while
// others need the thread. If ctx has profiler labels, functions that have none of their own run
// under them.
//
// If one of the functions calls [runtime.Goexit], ServeContext continues until it would have
// returned, and then ends its goroutine instead.
//
// ServeContext panics if the caller is not on the thread.
func (t *Thread) ServeContext(ctx context.Context) error {
	if !t.mayServe("ServeContext") {
		return ErrTerminated
	}
	err := t.e.ServeContext(ctx)
	runtime.KeepAlive(t)
	return err
}

// OnWake sets the function that notifies an event loop on the thread that it should call
// [Thread.Serve]: for GLFW that is PostEmptyEvent. It is called by the goroutine that has queued
// something while the thread was not serving, and not again until the next Serve; a call that is
// late may come after that. While the thread is in or between calls of [Thread.Wait], which event
// loops that call their native wait themselves should use, it is only called when that wait has
// begun. It must not block. If something is queued already, it is called before OnWake returns. Nil
// removes it.
//
// A function that Serve runs may take events from the event loop without waiting for any, and with
// them what wake has put there: if something is queued when Serve returns, wake is called again. A
// function may also have an event loop of its own, as a dialog does. That loop must call Serve
// before it waits for the first time: what was queued together with the function waits behind it,
// and was announced already.
//
// OnWake panics on a Thread from New, which serves by itself and needs no waking.
func (t *Thread) OnWake(wake func()) {
	if !t.e.Adopted() {
		panic("thread: OnWake on a thread of New, which serves by itself; use Adopt")
	}
	t.e.OnWake(wake)
	runtime.KeepAlive(t)
}

// Wait is an event loop's wait: it calls block, which waits for native events, and then runs what
// is queued. So an event loop is
//
//	t.OnWake(glfw.PostEmptyEvent)
//	for t.Wait(glfw.WaitEvents) {
//	}
//
// Wait returns false at once if the thread has been terminated. If something is queued already it
// runs that instead, and returns without calling block, so that the loop can check its condition;
// but it calls block once a millisecond in any case, and begins no function when one has passed, so
// that a flood of posted functions does not delay native events for longer.
//
// With Wait, the thread knows when it waits. So the function that OnWake has set is called only
// when block has begun or is about to, and not while the thread runs something or has returned from
// Wait: what is queued then is run by the next Wait. A loop that also waits elsewhere must call
// Serve before that. And before block keeps a P from other goroutines, which native waits do for up
// to 10 ms, those that wait for this P run, the callers that functions have returned to among them.
//
// Functions and callbacks of block may call Wait, too. Wait may be called inside a function that
// runs on the thread. Panics and Goexit of block are the caller's.
//
// Wait panics if the caller is not on the thread.
//
//threadcall:noalloc
func (t *Thread) Wait(block func()) bool {
	mustNotBeNil(block == nil, "Wait; give it the function that waits for native events")
	if !t.mayServe("Wait") {
		return false
	}
	ok := t.e.Wait(block)
	runtime.KeepAlive(t)
	return ok
}

// mayServe is false if there is nothing to serve any more.
func (t *Thread) mayServe(method string) bool {
	on := t.e.On()
	if t.e.Terminated() {
		t.e.GiveBack()
	} else if !on {
		panic("thread: " + method + " off the thread; " +
			"call it from the goroutine that called Adopt, or inside a function that Call or Go runs")
	}
	return on
}
