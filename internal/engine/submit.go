package engine

import (
	"context"
	"runtime"
	"runtime/trace"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/park"
)

var (
	never     = context.Background() // of a call that is not withdrawn
	noContext context.Context        // nil: of a posted function without one
)

// Call runs fn on the thread and returns after it. False means that fn did not and will not run.
//
//threadcall:noalloc
func (e *Engine) Call(fn func()) bool {
	if fn == nil {
		return false
	}
	// On, inlined where it is short
	if m := e.m.Load(); m == ident.ReadM() && m == e.m.Load() && e.direct || !e.direct && e.On() {
		return e.nested(fn)
	}
	if e.bubbled {
		e.mustBeReachable()
	}
	self := threads.current()
	if o := e.observer.Load(); o != nil || trace.IsEnabled() {
		return e.callObserved(o, self, fn)
	}
	c := e.q.Get(callq.Awaited, fn, self.poster())
	wake, behind, ok := e.q.Push(c)
	if !ok {
		return finish(c, callq.Refused)
	}
	if wake {
		e.wake()
	} else if !behind && e.waits.spin.Load() != 0 {
		for range callerLooks {
			park.Relax()
			if c.Outcome() == callq.Ran {
				e.q.Put(c)
				if e.yields.kind.Load() != 0 {
					e.yield(self)
				}
				return true
			}
		}
	}
	return finish(c, e.await(never, c, self, wake, behind))
}

// poster returns what is to be the Poster of a call from the thread of e, or from none that is
// known: only threads wait in cycles.
//
//threadcall:noalloc
func (e *Engine) poster() uintptr {
	if e == nil {
		return 0
	}
	return e.id
}

// callObserved is the rest of Call for a function that is observed. In Call itself, a deferred
// call, or one function more to pass, costs those who observe nothing a tenth of their time.
//
//threadcall:noalloc
func (e *Engine) callObserved(o *observer, self *Engine, fn func()) bool {
	v := newObserved(never, o, e, fn, false)
	defer v.leave() // also if fn panics or calls Goexit
	c := e.q.Get(callq.Awaited, v.run, self.poster())
	wake, behind, ok := e.q.Push(c)
	if !ok {
		return finish(c, callq.Refused)
	}
	if wake {
		e.wake()
	}
	return finish(c, e.await(never, c, self, wake, behind))
}

// finish gives back the record of an awaited call, whose outcome is settled, and does to the caller
// what that says.
//
//threadcall:noalloc
func finish(c *callq.Call, o callq.Outcome) bool {
	if o == 0 {
		panic("threadcall: internal error: the record of a call is given back before the call is settled")
	}
	fault := c.Fault
	c.Drop()
	switch o {
	case callq.Ran:
		return true
	case callq.Panicked:
		repanic(fault)
	case callq.Exited:
		if fault != nil {
			defer repanic(fault) // as a deferred call did there
		}
		runtime.Goexit()
	}
	return false
}

// CallContext is Call, but gives up if ctx is done before fn began; then fn will not run.
//
//threadcall:noalloc
func (e *Engine) CallContext(ctx context.Context, fn func()) error {
	if fn == nil {
		return ErrNil
	}
	if ctx.Err() != nil {
		if !e.On() {
			e.observer.Load().withdraw()
		}
		return Cause(ctx)
	}
	if e.On() {
		return e.nestedContext(ctx, fn)
	}
	if e.bubbled {
		e.mustBeReachable()
	}
	self := threads.current()
	labelled := hasLabels(ctx)
	if o := e.observer.Load(); o != nil || labelled || trace.IsEnabled() {
		return e.contextObserved(ctx, o, self, fn, labelled)
	}
	return e.callContext(ctx, self, fn)
}

// contextObserved is the rest of CallContext for a function that is observed or labelled.
//
//threadcall:noalloc
func (e *Engine) contextObserved(
	ctx context.Context, o *observer, self *Engine, fn func(), labelled bool,
) error {
	v := newObserved(ctx, o, e, fn, false)
	defer v.leave() // also if fn panics or calls Goexit
	v.labelled = labelled
	err := e.callContext(ctx, self, v.run)
	v.gaveUp = err != ErrTerminated
	return err
}

// callContext queues fn and waits for it, or for ctx.
//
//threadcall:noalloc
func (e *Engine) callContext(ctx context.Context, self *Engine, fn func()) error {
	c := e.q.Get(callq.Withdrawable, fn, self.poster())
	if mayUse(e.bubbled) {
		c.Ctx = ctx
	}
	wake, behind, ok := e.q.Push(c)
	if !ok {
		finish(c, callq.Refused)
		return ErrTerminated
	}
	if wake {
		e.wake()
	}
	return finishContext(ctx, c, e.await(ctx, c, self, wake, behind))
}

// finishContext is finish for a call that may have been given up.
//
//threadcall:noalloc
func finishContext(ctx context.Context, c *callq.Call, o callq.Outcome) error {
	switch {
	case o == callq.Withdrawn: // and so no longer ours
		return Cause(ctx)
	case finish(c, o):
		return nil
	case o == callq.Expired:
		return Cause(ctx)
	}
	return ErrTerminated
}

// Cause returns why ctx is done, or nil if it is not. A context of another package may be done
// although the one that it was made of, which context.Cause asks, is not.
func Cause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// A room says what a posted function does when the queue has a limit and is full.
type room int

const (
	waits     room = iota // until there is a place, unless that could become a deadlock
	gives                 // up: it is refused
	unlimited             // it takes no place, because it is queued at most once
)

// Go queues fn. False means that it will not run.
//
//threadcall:noalloc
func (e *Engine) Go(fn func()) bool { return e.post(noContext, fn, waits) }

// GoContext is Go, but withdraws fn if ctx is done before fn began.
//
//threadcall:noalloc
func (e *Engine) GoContext(ctx context.Context, fn func()) bool { return e.post(ctx, fn, waits) }

// TryGo is Go, but refuses fn at once if the queue is full.
//
//threadcall:noalloc
func (e *Engine) TryGo(fn func()) bool { return e.post(noContext, fn, gives) }

// Post is Go without a limit, for a function that is queued at most once.
//
//threadcall:noalloc
func (e *Engine) Post(fn func()) bool { return e.post(noContext, fn, unlimited) }

// post queues fn, and withdraws it when ctx is done, unless that is noContext.
//
//threadcall:noalloc
func (e *Engine) post(ctx context.Context, fn func(), room room) bool {
	if fn == nil {
		return false
	}
	if ctx != nil && ctx.Err() != nil {
		e.observer.Load().withdraw()
		return false
	}
	here := e.On()
	if e.bubbled && !here {
		e.mustBeReachable()
	}
	kind, ok := callq.Posted, true
	if room == gives {
		if kind, ok = e.limit.tryEnter(); !ok {
			e.observer.Load().refuse()
			return false
		}
	}
	var v *observedCall
	if o := e.observer.Load(); o != nil || ctx != nil || trace.IsEnabled() {
		if v = newPost(ctx, o, e, fn); v != nil {
			fn = v.run
		}
	}
	self := e
	if !here {
		self = threads.current()
	}
	var cancel <-chan struct{}
	if ctx != nil {
		cancel = ctx.Done()
	}
	if room == waits {
		kind = e.limit.enter(self, e, nil, cancel)
	}
	c := e.q.Get(kind, fn, self.poster())
	if cancel != nil {
		ok = e.posts.add(ctx, cancel, c, v, mayUse(e.bubbled))
	}
	var wake bool
	switch {
	case !ok || e.closing.Load():
		ok = false
	case here:
		wake, ok = e.q.PushOwn(c)
	default:
		wake, _, ok = e.q.Push(c)
	}
	if !ok {
		giveUp(ctx, c, e.limit, v)
		return false
	}
	if wake {
		e.wake()
	}
	if !here && e.yields.kind.Load() != 0 {
		e.yield(self)
	}
	return true
}

// newPost returns the observedCall of a posted function, or nil if it needs none. ctx may be
// noContext.
//
//threadcall:noalloc
func newPost(ctx context.Context, o *observer, on *Engine, fn func()) *observedCall {
	labelled := ctx != nil && hasLabels(ctx)
	if o == nil && !labelled && !trace.IsEnabled() {
		return nil
	}
	if ctx == nil {
		ctx = never
	}
	v := newObserved(ctx, o, on, fn, true)
	v.labelled = labelled
	return v
}

// giveUp drops a posted call that has not been queued.
func giveUp(ctx context.Context, c *callq.Call, l *limit, v *observedCall) {
	if c.Kind == callq.WithContext && take(c) == nil {
		v = nil // which has left
	}
	if c.Kind == callq.Placed {
		l.leave()
	}
	c.Drop()
	if v != nil {
		v.gaveUp = ctx != nil && ctx.Err() != nil
		v.leave()
	}
}
