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
// WithStop: what they would do, the caller can do, which is on the thread.
func Adopt(opts ...Option) *Thread { return adopt(opts, false) }

func adopt(opts []Option, permanent bool) *Thread {
	if engine.OnAny() {
		panic("thread: Adopt on a thread that is a Thread already; use that one")
	}
	o := options(opts)
	if len(o.starts)+len(o.stops) > 0 {
		panic("thread: WithStart or WithStop in Adopt; " +
			"the goroutine is on the thread, and can do before it and after Terminate what they would do")
	}
	t := wrap(o)
	t.permanent = permanent
	t.e.Adopt(permanent)
	if setup := o.setup(); setup != nil {
		setup()
	}
	return t
}
