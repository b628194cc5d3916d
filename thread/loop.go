package thread

import (
	"context"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/engine"
)

// A Loop is a [Thread] as the goroutine that serves it has it. All others use [Loop.Thread].
//
// Its methods but Thread and Adopt are the goroutine's alone, for its loop and for functions that
// run there, coroutines of [iter.Pull] included. On other goroutines they panic, until the thread
// has ended. When it has, Serve returns zero, Wait false and ServeContext [ErrTerminated].
//
// A call that has waited for five seconds for a thread that nothing serves is reported on standard
// error, once for each thread: its goroutine serves it not yet, has ended, or waits for something
// else. One that has set OnWake and does not call Wait counts as being in a native event loop.
type Loop struct {
	t    *Thread
	wake func() // what OnWake has set; the engine lets go of it when the thread ends
}

// Adopt makes a Thread of the thread that the caller is on, which the calling goroutine must serve.
// Until it does, calls of other goroutines wait, and its own run in place.
//
// # What Adopt changes
//
// Adopt locks the goroutine to the thread ([runtime.LockOSThread]), and [WithName] gives both a
// name. [Loop.Close] undoes that, and must be called before the goroutine ends. A coroutine of
// [iter.Pull] must not live across Adopt or Close: Go resumes it only under the locks under which
// it was made, and otherwise ends the process.
//
// # Options and panics
//
// [WithKeep] does nothing here. Adopt panics for WithStart and WithStop, whose work the caller can
// do itself, and on a thread that is a Thread already; that of the main goroutine may be
// mainthread.Loop of package mainthread. [NewLoop] is for a thread that does not run yet.
func Adopt(opts ...Option) *Loop {
	if e := engine.Self(); e != nil && e.Main {
		panic("thread: Adopt on the main thread, which package mainthread has; use mainthread.Loop")
	} else if e != nil {
		panic("thread: Adopt on a thread that is a Thread already; use that one")
	}
	l := newLoop("Adopt", opts)
	l.t.e.Adopt()
	return l
}

// NewLoop returns the Loop of a thread that exists later: a framework makes it, and the goroutine
// that runs the loop calls [Loop.Adopt]. Until that has done so and serves, calls and functions
// given to Go wait, as does Close of the Thread; Terminate refuses them.
//
//	loop := thread.NewLoop(thread.WithName("loop"))
//	go func() {
//		if err := loop.Adopt(); err != nil {
//			log.Fatal(err)
//		}
//		defer loop.Close()
//		loop.OnWake(library.Wake)
//		for loop.Wait(library.WaitEvents) {
//		}
//	}()
//
// NewLoop panics for WithStart and WithStop.
func NewLoop(opts ...Option) *Loop { return newLoop("NewLoop", opts) }

func newLoop(function string, opts []Option) *Loop {
	o := options(opts)
	if len(o.hooks) > 0 {
		panic("thread: WithStart or WithStop in " + function + "; " +
			"the goroutine is on the thread, and can do before it and after Close what they would do")
	}
	o.Own = false
	return &Loop{t: wrap(o)}
}

// Adopt does for the Loop of [NewLoop] what [Adopt] does, for the calling goroutine, once.
//
// It returns an error and changes nothing if any goroutine has adopted the Loop before, if the
// thread has been terminated or reclaimed ([ErrTerminated]), if the caller is on a thread that is a
// Thread already, or if only one of NewLoop and Adopt is called in a bubble of testing/synctest.
//
// Before, the goroutine must not block on the thread, in Call or in Go to a full queue: it would
// wait for itself. Adopt does not keep the Thread from being reclaimed; functions that wait for it
// and refer to the Thread do.
func (l *Loop) Adopt() error { return l.t.e.AdoptLater() }

// Thread returns what all goroutines may use.
//
//threadcall:noalloc
func (l *Loop) Thread() *Thread { return l.t }

// Close runs what is queued, ends the thread, and undoes what Adopt did: the lock, the name of the
// thread, where the system tells the old one, and the profiler label. A lock of the caller stays
// the caller's; labels that it had before [WithName] set one must be set again.
//
// In a function that the Loop runs, Close returns at once, and the Loop ends when it has run what
// is queued: in this ServeContext or Wait loop, in the next Serve, or in a second Close. Meanwhile
// calls are refused as by [Thread.Close].
//
// After an end through the Thread, Close undoes what Adopt did, as do Serve, ServeContext, Wait and
// the next Adopt of the goroutine. Close of mainthread.Loop leaves the main goroutine on the main
// thread, where calls still run in place.
func (l *Loop) Close() {
	if l.mayServe("Close") {
		_ = kept(l.t.e.Shutdown(context.Background()), l)
	}
}

// Serve runs the functions queued before its call, without waiting, and returns how many it ran.
//
// It begins no function when limit has passed, so that a flood of functions does not delay a frame.
// If functions are left, the function of OnWake is called again, and the next Serve runs them in
// their order. If any is queued, at least one runs. A limit of zero or less is none.
//
//threadcall:noalloc
func (l *Loop) Serve(limit time.Duration) int { return l.serve(limit, nil) }

// serve calls rest, if that is not nil, before it runs the first of several functions.
//
//threadcall:noalloc
func (l *Loop) serve(limit time.Duration, rest func()) int {
	n := 0
	if l.mayServe("Serve") {
		n = l.t.e.Serve(limit, rest)
	}
	l.announceEnd()
	return kept(n, l)
}

// announceEnd calls the function of OnWake once when the thread has ended. The loop may have taken
// the event of the end, and looked at Done, before Done was closed, and then it waits natively.
func (l *Loop) announceEnd() {
	if l.t.e.Terminated() && l.t.e.GiveBack() && l.wake != nil {
		wake := l.wake
		l.wake = nil
		wake()
	}
}

// ServeContext runs queued functions, and later ones as they come, until ctx is done or the thread
// has ended. It returns [context.Cause](ctx) or [ErrTerminated].
//
// A function that runs on the thread may call ServeContext, to wait for something while others need
// the thread. If ctx has profiler labels, functions without labels of their own run under them. If
// one of the functions calls [runtime.Goexit], ServeContext continues until it would have returned,
// and then ends its goroutine instead.
func (l *Loop) ServeContext(ctx context.Context) error {
	if !l.mayServe("ServeContext") {
		return ErrTerminated
	}
	return kept(l.t.e.ServeContext(ctx), l)
}

// OnWake sets the function that wakes the event loop, so that it calls Serve, or Wait returns: for
// GLFW that is PostEmptyEvent. wake must not block; nil removes it.
//
// # When wake is called
//
// The goroutine that queues a function calls wake if the thread does not serve at that moment, and
// none calls it again until the next Serve; a late call may come after that. If the loop uses Wait,
// wake is called only when Wait has begun to block. If one is queued already, OnWake calls wake.
// When the thread ends, wake is called before Done is closed, and by the Serve that comes then: so
// a loop that calls Serve may look at Done at any time.
//
// A function that Serve runs may take the event of wake from the loop. So if functions are queued
// when Serve returns, wake is called again. A function may also run an event loop of its own, as a
// dialog does. That loop must call Serve before it first waits: wake has been called already.
func (l *Loop) OnWake(wake func()) {
	on := l.mayServe("OnWake")
	l.t.e.OnWake(wake)
	if on || l.t.e.GiveBack() { // the thread's goroutine
		l.wake = wake
		l.announceEnd()
	}
}

// Wait is the wait of an event loop: it calls block, which waits for native events, and then runs
// what is queued. It returns false at once if the thread has ended, so an event loop is
//
//	loop.OnWake(glfw.PostEmptyEvent)
//	for loop.Wait(glfw.WaitEvents) {
//	}
//
// Wait panics if block is nil, or if OnWake has set nothing, because no call could end block.
//
// # Between calls and native events
//
// If a function is queued already, Wait runs that in place of block, so that the loop can check its
// condition. But it calls block once a millisecond, and begins no function when one has passed, so
// a flood of functions does not delay native events for longer.
//
// Wait tells the thread when it blocks, so the function of OnWake is called only then. A loop that
// also waits elsewhere must call Serve before that. A native wait can hold its P for 10 ms. So Wait
// yields first if other goroutines are ready, such as callers whose functions have just returned.
//
// Functions and callbacks of block may call Wait. Panics and Goexit of block are the caller's.
//
//threadcall:noalloc
func (l *Loop) Wait(block func()) bool {
	mustNotBeNil(block == nil, "Wait; give it the function that waits for native events")
	if !l.mayServe("Wait") {
		return false
	}
	if l.t.e.WakeOf() == nil && !l.t.e.Terminated() {
		panic("thread: Wait before OnWake, so that no call could end it; " +
			"call OnWake first, with a function that ends what Wait waits for, as glfw.PostEmptyEvent does")
	}
	return kept(l.t.e.Wait(block), l)
}

// mayServe panics off the thread. When that has ended, it is false, and gives back what is left.
func (l *Loop) mayServe(method string) bool {
	on := l.t.e.On()
	if l.t.e.Terminated() {
		// or Serve might run what a Terminate has not yet refused, after the end
		return !l.t.e.GiveBack() && on
	} else if !on {
		panic("thread: " + method + " of a Loop off its thread; call it on the goroutine that called " +
			"Adopt, or inside a function that runs there, and elsewhere the methods of its Thread")
	}
	return on
}

func init() {
	access.Adopt = func(onMain bool) (any, func()) {
		var l *Loop
		main := func(c *config) { c.Main = true }
		if onMain {
			l = Adopt(main)
		} else {
			l = NewLoop(main)
			l.t.e.Terminate()
		}
		return l, l.t.e.Terminate
	}
	access.Serve = func(l any, limit time.Duration, rest func()) int {
		return l.(*Loop).serve(limit, rest)
	}
	access.WakeOf = func(l any) func() { return l.(*Loop).t.e.WakeOf() }
	access.Terminated = func(t any) bool { return t.(*Thread).e.Terminated() }
}
