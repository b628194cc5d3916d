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
)

// never is the context of a function that is not withdrawn.
var never = context.Background()

// A target is what functions are submitted to: a thread, or any of those of a pool.
type target struct {
	observes  atomic.Uint32 // zero unless functions are observed, see package observe
	phase     atomic.Uint32 // see live.go
	bubble    uint64        // of testing/synctest, in which it was made, or zero
	limit     *limit
	ownYields yieldState
	on        *Engine      // the thread, or the first of a pool
	pool      *Pool        // or nil; also what the thread belongs to
	records   *callq.Queue // to get records from

	workers []*Engine // the thread, or those of a pool
	owner   weak.Pointer[Owner]
	done    chan struct{} // closed when no function runs there or ever will
	Config                // but for what the thread or pool has let go of
	onPanic atomic.Pointer[func(*fault.Fault)]

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
		e.wake(true)
	}
	switch {
	case !ok:
		return callq.Refused
	case e == nil, p != nil && self != nil:
		return block(cancel, c, self, x)
	}
	return e.await(cancel, c, self, wake, behind)
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
	_, err := x.perform(ctx, fn, nil, self)
	return err
}

// Try is CallContext for a function that returns an error, failed. If ok is false, it has done
// nothing: the caller is on the thread, something observes the function, or it cannot run.
//
//threadcall:noalloc
func (x *target) Try(ctx context.Context, fn func() error) (failed, err error, ok bool) {
	if x.observes.Load() != 0 || trace.IsEnabled() || callq.Done(ctx) || observe.HasLabels(ctx) ||
		!x.Reachable() {
		return nil, nil, false
	}
	self, here := x.caller()
	if here {
		return nil, nil, false
	}
	failed, err = x.perform(ctx, nil, fn, self)
	return failed, err, true
}

// perform queues try, or fn if that is nil, and returns after it what try has returned; or an
// error, if it did not run.
//
//threadcall:noalloc
func (x *target) perform(ctx context.Context, fn func(), try func() error, self *Engine) (
	failed, err error) {
	// the methods of ctx may panic: here, before fn is queued and when it is settled, or on the
	// thread, see callq.Start
	cancel := ctx.Done()
	c := x.records.Get(callq.Withdrawable, fn, self.poster())
	if try != nil {
		c.SetTry(try)
	}
	if ctx == never {
		c.Kind = callq.Awaited
	} else if cancel == nil || x.mayUse() {
		c.Ctx = ctx
	}
	o := x.submit(cancel, c, self)
	if o == callq.Failed {
		failed = c.Failure()
	}
	switch {
	case o == callq.Withdrawn: // and so c is no longer ours
	case finish(c, o):
		return failed, nil
	case o != callq.Expired:
		return nil, ErrTerminated
	}
	x.observer.Withdrew()
	return nil, Cause(ctx)
}

// Cause returns why ctx, which is done, is so, and never nil. A context of another package may be
// done although the context within it, which context.Cause asks, is not, and may not say why.
func Cause(ctx context.Context) error {
	return cmp.Or(context.Cause(ctx), ctx.Err(), context.Canceled)
}

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
	m, here := e.m.Load(), ident.ReadM()
	if m == here && m == e.m.Load() && e.direct || !e.direct && e.On() {
		return e.nested(fn)
	}
	if e.bubble != 0 || e.observes.Load() != 0 || trace.IsEnabled() {
		return e.CallContext(never, fn) == nil
	}
	var self *Engine
	if e.mayBeOn(here) {
		self = Self()
	}
	c := e.q.Get(callq.Awaited, fn, self.poster())
	wake, behind, ok := e.q.Push(c)
	if !ok {
		return finish(c, callq.Refused)
	}
	if wake {
		e.wake(true)
	} else if !behind && e.waits.First(c) == callq.Ran {
		e.q.Put(c)
		if e.yields.kind.Load() != 0 {
			e.yield(self)
		}
		return true
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
	case callq.Ran, callq.Failed:
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

// Go queues fn. False means that it will not run. Most posts need nothing of what post does; with
// it, they take a third longer.
//
//threadcall:noalloc
func (e *Engine) Go(fn func()) bool {
	x := &e.target
	if fn == nil || x.limit != nil || x.bubble != 0 || x.observes.Load() != 0 ||
		trace.IsEnabled() || x.phase.Load() != open ||
		e.mayBeOn(ident.ReadM()) && Self() != nil {
		return x.post(never, fn, waits)
	}
	wake, ok := e.q.Post(fn)
	if !ok {
		x.observer.Refused()
	} else if wake {
		e.wake(false)
	} else if e.yields.kind.Load() != 0 {
		e.yield(nil)
	}
	return ok
}
