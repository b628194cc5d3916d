package thread

import "github.com/threadcall/threadcall/internal/engine"

// Adopt makes a Thread of the thread that the caller is on, for programs whose thread has an event
// loop already. The calling goroutine must serve the thread: see [Thread.Serve],
// [Thread.ServeContext] and [Thread.OnWake]. Until it does, calls of other goroutines wait, and its
// own run in place. The goroutine must not end before it has called Terminate.
//
// A call that has waited for five seconds for a thread that nothing serves is reported on standard
// error, once for each thread: nothing has served it yet, its goroutine has ended, or that waits
// for something else than [Thread.Wait], Serve and ServeContext do. If the goroutine lives, has set
// OnWake and does not call Wait, it counts as being in a native event loop, and is not reported.
//
// Adopt locks the goroutine to the thread ([runtime.LockOSThread]), unless the caller has done so.
// That lock is held until Terminate has been called and the goroutine has stopped serving. A lock
// of the caller stays the caller's.
//
// Go resumes a coroutine of [iter.Pull] only under the locks under which it was made, and otherwise
// ends the process. So a coroutine made before Adopt must not be resumed until the lock of Adopt
// has ended, and one made after Adopt must be stopped before that.
//
// [WithKeep] does nothing here. Adopt panics for WithStart and WithStop, whose work the caller can
// do itself, and if the caller is on a thread that is a Thread already. [AdoptLater] is for a
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
	if len(o.hooks) > 0 {
		panic("thread: WithStart or WithStop in " + function + "; " +
			"the goroutine is on the thread, and can do before it and after Terminate what they would do")
	}
	return o
}

// AdoptLater is [Adopt] for a thread that exists later than its handle: a framework makes the
// handle, and the goroutine that runs the loop later calls adopt. Until it has done so and serves,
// calls and functions given to Go wait, as does Close, and On is false. Terminate refuses them all.
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
// adopt returns nil once. It returns an error and changes nothing if any goroutine has called it
// before, if the thread has been terminated or reclaimed ([ErrTerminated]), if the caller is on a
// thread that is a Thread already, or if only one of AdoptLater and adopt is called in a bubble of
// testing/synctest.
//
// Before it calls adopt, that goroutine must not block on the thread, in Call or in Go to a full
// queue: it would wait for itself. adopt does not keep the Thread from being reclaimed; functions
// that wait for it and refer to the Thread do.
//
// AdoptLater panics for WithStart and WithStop.
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
