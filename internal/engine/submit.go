package engine

import (
	"cmp"
	"context"
	"runtime"
	"runtime/trace"
	"sync/atomic"
	"weak"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/fault"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/observe"
	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/spin"
)

// never is the context of a function that is not withdrawn.
var never = context.Background()

// A target is what functions are submitted to: a thread, or any of those of a pool.
type target struct {
	observes atomic.Uint32 // zero unless functions are observed, see package observe
	on       *Engine       // the thread, or the first of a pool
	pool     *Pool         // or nil; also what the thread belongs to
	workers  []*Engine     // the thread, or those of a pool
	records  *callq.Queue  // to get records from
	limit    *limit
	owner    weak.Pointer[Owner]
	phase    atomic.Uint32 // see live.go
	bubble   uint64        // of testing/synctest, in which it was made, or zero
	done     chan struct{} // closed when no function runs there or ever will
	Config                 // but for what the thread or pool has let go of
	onPanic  atomic.Pointer[func(*fault.Fault)]

	observe.Tally
	observer  observe.Observer // to which they report
	lastPanic atomic.Pointer[Panic]
	listing
}

func (x *target) init(c Config, o *Owner) {
	x.Config, x.owner, x.done = c, weak.Make(o), make(chan struct{})
	if n := c.Limit; n > 0 {
		x.limit = &limit{places: make(chan struct{}, n), closed: make(chan struct{})}
	}
	x.observer.Init(&x.on.Thread, &x.observes, &x.Tally, o)
	x.records.Owner = &x.observer
}

// caller returns the thread that the caller is on, if any, and whether that is one of x.
//
//threadcall:noalloc
func (x *target) caller() (self *Engine, here bool) {
	if x.pool == nil && x.on.On() {
		return x.on, true
	}
	self = Self()
	return self, self != nil && self.of == x
}

// Done is closed when no function runs there or ever will.
func (x *target) Done() <-chan struct{} { return x.done }

// Bubbled reports whether x was made in a bubble of testing/synctest.
//
//threadcall:noalloc
func (x *target) Bubbled() bool { return x.bubble != 0 }

// Call runs fn on the thread and returns after it. False means that fn did not and will not run.
// What is observed goes on by way of CallContext: here, a deferred call, or one function more to
// pass, costs those who observe nothing a tenth of their time.
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
	if e.bubble != 0 || e.observes.Load() != 0 || trace.IsEnabled() {
		return e.CallContext(never, fn) == nil
	}
	self := Self()
	c := e.q.Get(callq.Awaited, fn, self.poster())
	wake, behind, ok := e.q.Push(c)
	if !ok {
		return finish(c, callq.Refused)
	}
	if wake {
		e.wake()
	} else if !behind && e.waits.Spin.Load() > 0 && e.waits.Core.Load() != spin.Shares {
		for range spin.FirstLooks {
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
	return finish(c, e.await(nil, c, self, wake, behind))
}

// nested runs fn for a caller that is on the thread already: in place, and nothing else. When the
// thread has been terminated, only calls in stop functions run; but the main thread of package
// mainthread is the main thread for ever.
//
//threadcall:noalloc
func (e *Engine) nested(fn func()) bool {
	if e.q.Closed() && !e.stopping && !e.Main {
		return false
	}
	if trace.IsEnabled() {
		trace.WithRegion(never, observe.Region, fn)
	} else {
		fn()
	}
	return true
}

// nestedContext is nested for CallContext.
func (e *Engine) nestedContext(ctx context.Context, fn func()) error {
	if observe.HasLabels(ctx) {
		defer e.Labels.Set(e.Labels.Now)
		e.Labels.Under(ctx)
	}
	if !e.nested(fn) {
		return ErrTerminated
	}
	return nil
}

// poster returns the Poster of a call from the thread of e. Without a thread it is zero: only
// threads wait in cycles.
//
//threadcall:noalloc
func (e *Engine) poster() uintptr {
	if e == nil {
		return 0
	}
	return e.id
}

// submit queues c and waits until it is settled, or for cancel.
//
//threadcall:noalloc
func (x *target) submit(cancel <-chan struct{}, c *callq.Call, self *Engine) callq.Outcome {
	e, p := x.on, x.pool
	var wake, behind, ok bool
	if p != nil {
		e, wake, behind, ok = p.add(c, self == nil)
	} else if wake, behind, ok = e.q.Push(c); wake {
		e.wake()
	}
	switch {
	case !ok:
		return callq.Refused
	case e == nil, p != nil && self != nil:
		return block(cancel, c, self, x)
	}
	return e.await(cancel, c, self, wake, behind)
}

// finish gives back the record of an awaited call, whose outcome is settled, and returns, panics or
// exits as the outcome says.
//
//threadcall:noalloc
func finish(c *callq.Call, o callq.Outcome) bool {
	if o == 0 {
		panic("threadcall: internal error: the record of a call is given back before the call is settled")
	}
	panicked := c.Fault
	if o == callq.Refused {
		c.Queue.Owner.Refused()
	}
	c.Drop()
	switch o {
	case callq.Ran:
		return true
	case callq.Panicked:
		panicked.Raise()
	case callq.Exited:
		if panicked != nil {
			defer panicked.Raise() // as a deferred call did there
		}
		runtime.Goexit()
	}
	return false
}

// CallContext is Call, but gives up if ctx is done before fn began; then fn will not run.
//
//threadcall:noalloc
func (x *target) CallContext(ctx context.Context, fn func()) error {
	if fn == nil {
		return ErrNil
	}
	self, here := x.caller()
	if callq.Done(ctx) {
		if !here {
			x.observer.Withdrew()
		}
		return Cause(ctx)
	}
	if here {
		return self.nestedContext(ctx, fn)
	}
	if !x.Reachable() {
		x.observer.Refused()
		return ErrTerminated
	}
	fn, v := x.observer.Wrap(ctx, nil, fn, false)
	if v != nil {
		defer v.Release() // also if fn panics or calls Goexit
	}
	// the methods of ctx may panic: here, before fn is queued and when it is settled, or on the
	// thread, see callq.Start
	cancel := ctx.Done()
	c := x.records.Get(callq.Withdrawable, fn, self.poster())
	if ctx == never {
		c.Kind = callq.Awaited
	} else if cancel == nil || x.mayUse() {
		c.Ctx = ctx
	}
	switch o := x.submit(cancel, c, self); {
	case o == callq.Withdrawn: // and so c is no longer ours
	case finish(c, o):
		return nil
	case o != callq.Expired:
		return ErrTerminated
	}
	x.observer.Withdrew()
	return Cause(ctx)
}

// Cause returns why ctx, which is done, is so, and never nil. A context of another package may be
// done although the context within it, which context.Cause asks, is not, and may not say why.
func Cause(ctx context.Context) error {
	return cmp.Or(context.Cause(ctx), ctx.Err(), context.Canceled)
}

// A room says what a posted function does when the queue has a limit and is full.
type room int

const (
	waits     room = iota // until there is a place, unless that could become a deadlock
	gives                 // up: it is refused
	unlimited             // it takes no place, because it is queued at most once
)

// Go queues fn. False means that it will not run. Most posts need nothing of what post does; with
// it, they take a third longer.
//
//threadcall:noalloc
func (e *Engine) Go(fn func()) bool {
	x := &e.target
	if fn == nil || x.limit != nil || x.bubble != 0 || x.observes.Load() != 0 ||
		trace.IsEnabled() || x.phase.Load() != open || Self() != nil {
		return x.post(never, fn, waits)
	}
	wake, ok := e.q.Post(fn)
	if !ok {
		x.observer.Refused()
	} else if wake {
		e.wake()
	} else if e.yields.kind.Load() != 0 {
		e.yield(nil)
	}
	return ok
}

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
		e.wake()
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
