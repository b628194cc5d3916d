package thread

import "github.com/threadcall/threadcall/internal/engine"

// Adopt makes a Thread of the thread that the caller is on, for programs whose thread has an event
// loop already. The calling goroutine must serve by itself: see [Thread.Serve],
// [Thread.ServeContext] and [Thread.OnWake]. Until it does, calls from other goroutines wait, and
// those of its own run in place. It must not end before it has called Terminate.
//
// If the caller has not locked its goroutine to the thread by [runtime.LockOSThread], Adopt does,
// and the lock is held until Terminate has been called and the goroutine has stopped serving. A
// lock that the caller holds is the caller's, to be undone when it is done.
//
// Go resumes a coroutine of [iter.Pull] only under the locks under which it was made, and otherwise
// ends the process. So what the goroutine made before Adopt must not be resumed before those locks
// have ended, and what it made after Adopt must be stopped before.
//
// Of the options, [WithKeep] does nothing here: the thread is the caller's.
//
// Adopt panics if the caller is on a thread that is a Thread already, and for WithStart and
// WithStop: what they would do, the caller can do, which is on the thread. [AdoptLater] is for a
// thread that does not run yet.
func Adopt(opts ...Option) *Thread { return adopt(opts, false) }

func adopt(opts []Option, permanent bool) *Thread {
	if engine.OnAny() {
		panic("thread: Adopt on a thread that is a Thread already; use that one")
	}
	o := adoptable("Adopt", opts)
	t := wrap(o)
	t.permanent = permanent
	t.e.Adopt(permanent)
	if setup := o.setup(); setup != nil {
		setup()
	}
	return t
}

// adoptable returns the options of a thread that is the caller's.
func adoptable(function string, opts []Option) config {
	o := options(opts)
	if len(o.starts)+len(o.stops) > 0 {
		panic("thread: WithStart or WithStop in " + function + "; " +
			"the goroutine is on the thread, and can do before it and after Terminate what they would do")
	}
	return o
}

// AdoptLater is [Adopt] for a thread that exists later than its handle: a framework makes the
// handle, and the goroutine on which its loop runs afterwards calls adopt. Until it has done so and
// serves, calls and functions given to Go wait, as does Close, and On is false; Terminate refuses
// them all.
//
//	t, adopt := thread.AdoptLater(thread.WithName("loop"))
//	go func() {
//		if err := adopt(); err == nil {
//			t.OnWake(loop.Wake) // or before
//			for t.Wait(loop.WaitEvents) {
//			}
//		}
//	}()
//
// adopt returns nil once. If any goroutine has called it before, or the thread has been terminated
// or reclaimed ([ErrTerminated]), or the caller is on a thread that is a Thread already, or only
// one of AdoptLater and adopt is called in a bubble of testing/synctest, adopt returns an error and
// changes nothing.
//
// The goroutine that is to call adopt must not wait for the thread before: for its own call, or in
// Go with [WithQueueLimit]. adopt does not keep the Thread from being reclaimed; functions that
// wait for it and refer to the Thread do.
//
// AdoptLater panics for WithStart and WithStop, as Adopt does.
func AdoptLater(opts ...Option) (t *Thread, adopt func() error) {
	o := adoptable("AdoptLater", opts)
	t = wrap(o)
	e, setup := t.e, o.setup()
	return t, func() error {
		err := e.AdoptLater()
		if err == nil && setup != nil {
			setup()
		}
		return err
	}
}
