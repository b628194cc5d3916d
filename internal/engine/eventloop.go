package engine

import (
	"time"

	"github.com/threadcall/threadcall/internal/clock"
)

// A thread with an external event loop waits in native code, where onWake reaches it. head is the
// queue's, see callq.Queue, and says whether the next pusher calls onWake. An event is what onWake
// leaves in the event loop.
//
//	state      the thread                      head              what is queued
//	up         runs, and looks at its queue    nil, a Call       needs no event
//	           before it blocks
//	blocked    is in its event loop, or in a   resting           nothing; what is pushed next gets
//	           function that may be one: in                      an event from its pusher
//	           block, outside of Wait, or
//	           while it serves
//	announced  the same                        a Call, or nil    has its event, or its pusher is
//	                                           and ready calls   about to call onWake
//
//	from       to         by         in
//	any        up         thread     look: Wait begins, block has returned, Wait ends
//	up         blocked    thread     block: Rest, which fails if something has been queued. The end
//	                                 of Serve and ServeContext, also if a function has called Wait
//	                                 there, and of a Wait in block, or whose block panics, if
//	                                 nothing is queued
//	up         announced  thread     block, if it has not been called for loopBudget although
//	                                 something is queued; restInHost
//	blocked    announced  pusher     Push: calls onWake, once
//	announced  blocked    thread     Serve, ServeContext: they take calls. They leave the thread
//	                                 announced if any remain, and call onWake again, as a function
//	                                 may have taken the event
//	blocked    blocked    anyone     a late wake-up: its pusher calls onWake after the thread has
//	                                 taken the call
//
// So each time that head leaves resting in the event loop onWake is called once, and no flag says
// that it was: an event too many may come at any time, and the host may take it without serving.
// Only while something is queued must a host that takes events serve before it waits again.
//
// A callback of block that calls Wait, as that of a dialog may, returns to a thread that is
// blocked; a function that Wait runs, to one that is up. A panic or a Goexit may end the event
// loop, and so leaves the thread blocked.
type eventLoop struct {
	// the thread is in block, and not in a Wait inside that; false once block has been told there
	// that the thread has been terminated
	blocked bool

	seen time.Duration // when block has last returned
}

// loopBudget is for how long the thread runs what is queued before it calls block, which sees the
// native events.
const loopBudget = time.Millisecond

// Wait runs what is queued or, if that is nothing, block, and then what is queued. It is false, and
// block has not been called since, if the thread has been terminated.
//
//threadcall:noalloc
func (e *Engine) Wait(block func()) (ok bool) {
	outer := e.beginLoop(byWait)
	inside, returned := e.eventLoop.blocked, false
	e.eventLoop.blocked = false
	defer func() {
		e.look()
		e.eventLoop.blocked = inside
		if inside || !returned {
			e.q.RestAlways(true)
		}
		e.endLoop(outer)
	}()
	defer e.Labels.Relabel(e.Labels.Unlabel())
	e.look()
	if !e.q.Pending() {
		e.handOn(0)
	}
	if !e.q.Closed() {
		switch {
		case !e.q.Pending():
			e.block(block, false)
		case clock.Now()-e.eventLoop.seen >= loopBudget:
			e.block(block, true)
		}
		e.runQueued(loopBudget, nil)
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

// block calls f, unless something is queued by then. If announce is true, something is, and f is to
// return soon.
//
//threadcall:noalloc
func (e *Engine) block(f func(), announce bool) {
	e.eventLoop.blocked = true
	defer func() { // also if f panics
		e.eventLoop.blocked = false
		e.look()
	}()
	e.q.RestAlways(true)
	if announce {
		e.wake(false)
	} else if !e.q.Rest() {
		return
	}
	e.endYields()
	if e.Counts.Works() {
		e.Counts.Rest(clock.Now())
	}
	f()
	e.eventLoop.seen = clock.Now()
}

// ServeIn has the engine's own thread run loop, a native event loop, in place of its own. In loop
// Serve serves, and OnWake, which was called before, has set what wakes it up. loop returns when
// the engine has been terminated, or to end it: then the engine serves by itself what is queued,
// and refuses what comes later. If a function that it runs calls Goexit, loop is called again.
func (e *Engine) ServeIn(loop func()) {
	e.Control(func() {
		serveAll(func() {
			e.idleState.Stop()
			e.Counts.Rest(clock.Now())
			e.restInHost(false) // what is queued has come before the loop
			loop()
		}, e.countExit, func() {
			e.Counts.Work(clock.Now())
			e.OnWake(nil)
			e.q.RestAlways(false)
			e.Retire()
		})
	})
}
