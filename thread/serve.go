package thread

import (
	"context"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/access"
)

// Serve runs the functions that were queued before it was called, and returns how many it ran. It
// does not wait, and panics off the thread.
//
// It is for adopted threads: the event loop calls Serve when OnWake has notified it, unless it
// calls [Thread.Wait]. Serve may also be called in a function that runs on the thread, and in a
// coroutine of [iter.Pull] there. If one of the functions calls [runtime.Goexit], that ends the
// caller of Serve as well: the goroutine is the same.
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
// So a flood of posted functions does not delay a frame. If functions are left, the function of
// OnWake is called again, and the next Serve runs them in their order. If any function is queued,
// ServeFor runs at least one, even for a d of zero or less.
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

// ServeContext runs queued functions, and later ones as they come, until ctx is done or the thread
// is terminated. It returns [context.Cause](ctx) or [ErrTerminated], and panics off the thread. It
// blocks while nothing is queued.
//
// A function that runs on the thread may call ServeContext, to wait for something while others need
// the thread. If ctx has profiler labels, functions without labels of their own run under them. If
// one of the functions calls [runtime.Goexit], ServeContext continues until it would have returned,
// and then ends its goroutine instead.
func (t *Thread) ServeContext(ctx context.Context) error {
	if !t.mayServe("ServeContext") {
		return ErrTerminated
	}
	err := t.e.ServeContext(ctx)
	runtime.KeepAlive(t)
	return err
}

// OnWake sets the function that wakes the event loop of an adopted thread, so that it calls
// [Thread.Serve] or [Thread.Wait]: for GLFW that is PostEmptyEvent. The goroutine that queues a
// function calls wake if the thread does not serve at that moment, and no goroutine calls it again
// until the next Serve; a late call may come after that Serve. If the loop uses Wait, wake is
// called only when Wait has begun to block. If a function is queued already, OnWake calls wake
// itself. wake must not block. Nil removes it.
//
// A function that Serve runs may take the event of wake from the loop. So if functions are queued
// when Serve returns, wake is called again. A function may also run an event loop of its own, as a
// dialog does. That loop must call Serve before it first waits: wake has already been called for
// the functions in the queue.
//
// OnWake panics on a Thread from New, which needs no event loop.
func (t *Thread) OnWake(wake func()) {
	if !t.e.Adopted() {
		panic("thread: OnWake on a thread of New, which serves by itself; use Adopt")
	}
	t.e.OnWake(wake)
	runtime.KeepAlive(t)
}

// Wait is the wait of an event loop: it calls block, which waits for native events, and then runs
// what is queued. It returns false at once if the thread has been terminated, and panics off the
// thread. So an event loop is
//
//	t.OnWake(glfw.PostEmptyEvent)
//	for t.Wait(glfw.WaitEvents) {
//	}
//
// If a function is queued already, Wait runs that in place of block, so that the loop can check its
// condition. But it calls block once a millisecond, and begins no function when one has passed, so
// a flood of functions does not delay native events for longer.
//
// Wait tells the thread when it blocks, so the function of OnWake is called only then. A loop that
// also waits elsewhere must call Serve before that. A native wait can hold its P for 10 ms. So Wait
// yields first if other goroutines are ready, such as callers whose functions have just returned.
//
// Functions that run on the thread and callbacks of block may call Wait, too. Panics and Goexit of
// block are the caller's.
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
