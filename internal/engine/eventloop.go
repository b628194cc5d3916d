package engine

import (
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/park"
)

// A thread with an external event loop waits in native code, where onWake reaches it. Wait is such a wait, of which the engine knows
// when it begins and ends. head is the queue's, see callq.Queue:
//
//	state      the thread                                          head         what is queued
//	up         runs, and looks at its queue before it blocks       nil, a Call  needs no wake-up
//	blocked    is in block, or about to be, or about to come back  resting      is announced, by its pusher
//	announced  the same                                            a Call       has been announced
//
//	from       to         by       in
//	any        up         thread   Wait, when it begins and when it ends. Outside of it, OnWake, Serve and ServeContext leave the
//	                               thread blocked, so that onWake is called although the thread may run
//	up         up         thread   Wait, if something is queued: that is run, and block is not called
//	up         announced  thread   the same, if block has not been called for loopBudget: block sees the native events, and returns
//	                               because the thread has announced to itself what is queued
//	up         blocked    thread   Rest, after notified has been cleared; it fails if something has been queued
//	blocked    announced  pusher   Push, and then wake: onWake is called, unless notified is set
//	announced  blocked    thread   in a callback of block, by whatever takes calls; as after Serve, block is told what is left
//	blocked,   up         thread   Awake, when block has returned, for whatever reason. Then notified is cleared, and then the
//	announced                      thread looks at its queue
//
// A wake-up may be late: its pusher has set notified, and calls onWake when the thread has blocked again. Until then the wake-up is
// that of all that is queued. The thread clears notified before it looks at its queue and before Rest, so what a pusher that
// finds notified set has pushed is either seen, or the wake-up of the one that has set it is still to come.
//
// A callback of block that calls Wait, as that of a dialog may, returns to a thread that is blocked; a function that Wait runs, to
// one that is up. A panic or a Goexit may end the event loop, and so leaves the thread blocked.
type eventLoop struct {
	blocked bool          // the thread is in block, and not in a Wait inside that
	seen    time.Duration // when block has last returned
}

// loopBudget is for how long the thread runs what is queued before it calls block, which sees the native events.
const loopBudget = time.Millisecond

// Wait runs what is queued or, if that is nothing, block, and then what is queued. It is false, and block has not been called since, if
// the thread has been terminated.
//
//threadcall:noalloc
func (e *Engine) Wait(block func()) (ok bool) {
	e.served.Store(true)
	e.begin()
	inside, returned := e.eventLoop.blocked, false
	e.eventLoop.blocked = false
	defer func() {
		e.look()
		e.eventLoop.blocked = inside
		if inside || !returned {
			e.q.RestAlways(true)
		}
		e.end()
	}()
	if e.labelled {
		defer e.relabel(e.unlabel())
	}
	e.look()
	if !e.q.Pending() {
		e.handOn()
	}
	if !e.q.Closed() {
		switch {
		case !e.q.Pending():
			e.block(block, false)
		case park.Now()-e.eventLoop.seen >= loopBudget:
			e.block(block, true)
		}
		e.notified.Store(false)
		e.runQueued(loopBudget)
		ok = !e.q.Closed()
	}
	returned = true
	return ok
}

// look makes the thread one that looks at its queue before it blocks.
//
//threadcall:noalloc
func (e *Engine) look() {
	e.q.RestAlways(false)
	e.q.Awake()
}

// block calls f, unless something is queued by then. If announce is true, something is, and f is to return soon.
//
//threadcall:noalloc
func (e *Engine) block(f func(), announce bool) {
	e.eventLoop.blocked = true
	defer func() { // also if f panics
		e.eventLoop.blocked = false
		e.look()
	}()
	e.q.RestAlways(true)
	e.notified.Store(false)
	if announce {
		e.wake()
	} else if !e.q.Rest() {
		return
	}
	f()
	e.eventLoop.seen = park.Now()
}

// handOn is called before the thread blocks in native code. There it keeps its P until the Go runtime notices, after up to 10 ms, and so
// long the goroutines in the queue of that P wait, unless another P has nothing to do: callers to which the thread has
// returned, and what callbacks of block have made ready. So they run first. Which P they are in the queue of is not known, nor
// whether a P is idle or is kept by another native wait; so the thread yields if any goroutine waits for a P.
//
//threadcall:noalloc
func (e *Engine) handOn() {
	e.rest.woke = 0
	if waiting, ok := e.load.Waiting(); !ok {
		e.load.Yield(runtime.Gosched)
	} else if waiting > 0 {
		runtime.Gosched()
	}
}
