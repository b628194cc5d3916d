package engine

import (
	"context"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/observe"
)

// A room says what a posted function does when the queue has a limit and is full.
type room int

const (
	waits     room = iota // until there is a place, unless that could become a deadlock
	gives                 // up: it is refused
	unlimited             // it takes no place, because it is queued at most once
)

// GoContext is Go, but fn does not run if ctx is done when its turn comes. Nil means that fn is
// queued.
//
//threadcall:noalloc
func (x *target) GoContext(ctx context.Context, fn func()) error {
	switch {
	case fn == nil:
		return ErrNil
	case x.post(ctx, fn, waits):
		return nil
	case callq.Done(ctx): // before, or while post waited for a place
		return Cause(ctx)
	}
	return ErrTerminated
}

// TryGo is Go, but refuses fn at once if the queue is full.
//
//threadcall:noalloc
func (x *target) TryGo(fn func()) bool { return x.post(never, fn, gives) }

// Post is Go without a limit, for a function that is queued at most once.
//
//threadcall:noalloc
func (x *target) Post(fn func()) bool { return x.post(never, fn, unlimited) }

// Enqueue is Post in two steps: Notify, with the same wake, wakes the thread if it must be woken,
// which may run the function.
//
//threadcall:noalloc
func (e *Engine) Enqueue(fn func()) (wake, ok bool) { return e.enqueue(never, fn, unlimited) }

// Notify is called when a function has been queued.
//
//threadcall:noalloc
func (e *Engine) Notify(wake bool) {
	if wake {
		e.wake(false)
	} else if e.yields.kind.Load() != 0 {
		if self, here := e.of.caller(); !here {
			e.yield(self)
		}
	}
}

// From returns the number of the thread that the caller is on, which may wait in a cycle with e, or
// zero.
//
//threadcall:noalloc
func (e *Engine) From() uintptr {
	if self := Self(); self != e {
		return self.poster()
	}
	return 0
}

// post queues fn, which is not to run if ctx is done when its turn comes.
//
//threadcall:noalloc
func (x *target) post(ctx context.Context, fn func(), room room) bool {
	wake, ok := x.enqueue(ctx, fn, room)
	x.on.Notify(wake)
	return ok
}

//threadcall:noalloc
func (x *target) enqueue(ctx context.Context, fn func(), room room) (wake, ok bool) {
	if fn == nil {
		return false, false
	}
	if callq.Done(ctx) {
		x.observer.Withdrew()
		return false, false
	}
	until, cancel := ctx, ctx.Done()
	if cancel == nil {
		until = nil
	} else if !x.mayUse() {
		until = follow(ctx) //threadcall:alloc in a bubble
	}
	self, here := x.caller()
	if !here && !x.Reachable() {
		x.observer.Refused()
		return false, false
	}
	fn, v := x.observer.Wrap(ctx, until, fn, true)
	kind, ok := x.acquire(room, self, here, cancel)
	ok = ok && x.phase.Load() == open && !isClosed(cancel) // also after a wait
	var c *callq.Call
	if ok && (self != nil || x.pool != nil || kind != callq.Posted) {
		c = x.records.Get(kind, fn, self.poster())
	}
	if ok && self != nil && !here {
		self.link(c)
	}
	switch {
	case !ok:
	case x.pool != nil:
		_, _, _, ok = x.pool.add(c, false)
	case c == nil:
		wake, ok = x.on.q.Post(fn)
	default:
		wake, _, ok = x.on.q.Push(c)
	}
	if !ok {
		x.giveUp(kind, cancel, c, v)
	}
	return wake, ok
}

// giveUp drops what is not queued: a record, and an observed one, or nil.
func (x *target) giveUp(kind callq.Kind, cancel <-chan struct{}, c *callq.Call, v *observe.Call) {
	if kind == callq.Placed {
		<-x.limit.places
	}
	if c != nil {
		c.Drop()
	}
	if v != nil {
		v.Release()
	}
	if isClosed(cancel) {
		x.observer.Withdrew()
	} else {
		x.observer.Refused()
	}
}
