package engine

import (
	"context"

	"github.com/threadcall/threadcall/internal/clock"
)

// testing/synctest runs a test in a bubble: goroutines that share a fake clock, which stands still
// unless all of them are durably blocked, and channels that only they may use. A thread belongs to
// the bubble in which it was made, or to none:
//
//	thread   caller   the caller waits                             the thread waits
//	outside  outside  for a channel                                as serve_idle.go says
//	outside  inside   for a mutex, or for a channel made outside,  as serve_idle.go says
//	                  which are not of the bubble (park.Token). It
//	                  is not durably blocked, so the clock stands
//	                  still meanwhile
//	inside   inside   for a channel of the bubble                  for a channel of the bubble, at
//	                                                               once, so that it is durably
//	                                                               blocked when it has nothing to do
//	inside   outside, not at all: the call panics, as a send to the bubble would end the process, or
//	         or in    returns false, if the thread has been terminated
//	         another
//
// Nothing in a bubble waits by the clock, because the clock stands still.
//
// The runtime ends the process at any use of a channel of a bubble elsewhere, a look included, also
// when the bubble has ended. So each method calls Reachable before it touches one of these, or uses
// only words and mutexes, as States, Stats and Queued do:
//
//	of a target made in a bubble        used by
//	done, limit, wakeup, waiter.token   what Reachable has let through; its threads
//	tokens of records in its queue      the same: the bubble's callers make and wait for them
//	its timers and that of its watch    its threads and callers; not Stop and Watch from elsewhere
//	phase, observer, q, AtTerminate     anybody
//
//	of a target made outside            used by
//	channels, wakeup                    anybody: the runtime lets a bubble use channels from outside
//	its timers and that of its watch    only what is outside: set in a bubble, they have its time
//	contexts of callers in a bubble     the caller; a thread looks at one that follows them

// Reachable reports whether the caller is where x was made, or x outside. It panics if the caller
// is elsewhere and x has not been terminated.
//
//threadcall:noalloc
func (x *target) Reachable() bool { return x.bubble == 0 || x.inBubble() }

// inBubble is Reachable for what was made in a bubble, so that the other can be inlined.
func (x *target) inBubble() bool {
	switch {
	case x.bubble == clock.Bubble():
		return true
	case x.phase.Load() >= closed:
		return false
	}
	panic("thread: a thread that was made in a bubble of testing/synctest is used from outside it; " +
		"make the thread outside the bubble, where goroutines inside can use it as well")
}

// mayUse reports whether the threads of x may use a context of the caller. One outside the caller's
// bubble must not touch what is in it.
//
//threadcall:noalloc
func (x *target) mayUse() bool { return x.Bubbled() || !clock.InBubble() }

// follow returns a context that a thread outside the caller's bubble may ask in place of ctx, which
// refers to it until it ends.
func follow(ctx context.Context) context.Context {
	f, end := context.WithCancel(never)
	afterFunc(ctx, end)
	return f
}

// afterFunc is context.AfterFunc, which ends the process if ctx is of another package, is done, and
// does not say why, or panics.
func afterFunc(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(caused{ctx}, f)
}

// A caused is a context whose Err, which is called when it is done, says so.
type caused struct{ context.Context }

func (c caused) Err() (err error) {
	defer func() {
		if recover() != nil || err == nil {
			err = context.Canceled
		}
	}()
	return c.Context.Err()
}
