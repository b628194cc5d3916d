package engine

import (
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/clock"
)

// The queue of a thread says whether it must be woken; mode says how:
//
//	mode         the thread                            is woken by
//	up           has not waited yet, or, if it has a   onWake, once for each time that resting
//	             host, runs or is in its event loop    was replaced
//	inScheduler  waits in the Go scheduler             wakeup
//	asksWhen     the same, and posters say when        wakeup
//
// Only the thread changes mode: before Rest, and, if it has a host, in OnWake and after it has seen
// that its queue is no longer resting. A thread without a host waits only in the Go scheduler, and
// no goroutine reads mode while such a thread is up. So the pusher that replaced resting, and must
// wake the thread, reads the mode in which the thread waits. If the thread got up by itself
// meanwhile, the wake-up is superfluous. Every waiter tolerates that. Only the head of the queue
// remembers a wake-up, so a late one keeps no other from being sent. A new thread looks at its
// queue before it first waits, and so begins in mode up although its queue counts as resting.
type waking struct {
	wakeup chan struct{}
	onWake atomic.Pointer[func()]
	mode   atomic.Uint32
}

// hosted has the calls of onWake.
type hosted struct {
	announced   atomic.Int64 // how many
	announcedAt atomic.Int64 // the last one, a time.Duration
}

const (
	up = iota
	inScheduler
	asksWhen
)

// waitsIn sets mode, if that changes it: or callers would have to read it again.
//
//threadcall:noalloc
func (w *waking) waitsIn(mode uint32) {
	if w.mode.Load() != mode {
		w.mode.Store(mode)
	}
}

// wake wakes the thread. The pusher that replaced resting must call it. If calls is true, it is a
// caller, and notes the time. A poster does so only if the thread asks, because that takes a
// microsecond after a pause.
//
//threadcall:noalloc
func (e *Engine) wake(calls bool) {
	if mode := e.mode.Load(); mode != up {
		if calls || mode == asksWhen {
			e.waits.Note(&e.waits.Pushed)
		}
		e.unpark()
	} else if f := e.onWake.Load(); f != nil {
		e.announced.Add(1)
		e.announcedAt.Store(int64(clock.Now()))
		(*f)()
	}
}

//threadcall:noalloc
func (w *waking) unpark() {
	select {
	case w.wakeup <- struct{}{}:
	default:
	}
}

// OnWake sets what is called when something is queued while the thread is not looking. It is called
// on the thread, or when that has been terminated.
func (e *Engine) OnWake(f func()) {
	if f != nil {
		e.onWake.Store(&f)
	}
	if f == nil || e.Terminated() { // forget may have been before the store
		e.onWake.Store(nil)
		return
	}
	e.waitsIn(up)
	e.q.RestAlways(true)
	e.restInHost(e.serving.Load() == 0)
}

// WakeOf returns what OnWake has set, or nil.
func (w *waking) WakeOf() func() {
	if f := w.onWake.Load(); f != nil {
		return *f
	}
	return nil
}

// restInHost makes the thread count as resting while it runs code that is not the engine's, in
// which onWake reaches it. A function that is queued already is announced, perhaps a second time:
// the host may have taken the first event out of its loop for something else. If returns is true,
// the thread returns to the host, and does then not count as resting.
func (e *Engine) restInHost(returns bool) {
	if e.q.Rest() || e.q.Closed() {
		return
	}
	if returns {
		e.q.Awake()
	}
	e.wake(false)
}
