package engine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/fault"
)

// serveAll runs loop, which serves, and then end. It goes on with loop when a function has called
// Goexit: the goroutine then runs its deferred calls and must end after them, but this deferred
// call serves on, after exited.
func serveAll(loop, exited, end func()) {
	ended := false
	defer func() {
		if !ended {
			exited()
			serveAll(loop, exited, end)
		}
	}()
	loop()
	ended = true
	end()
}

// manyExits is how many Goexits a thread reports. The frames of so many make a collection some
// milliseconds longer, those of 10,000 30 ms, and those of 100,000 0.2 to 0.6 s.
const manyExits = 3000

// countExit counts a Goexit.
func (e *Engine) countExit() {
	if e.exits.Add(1) == manyExits {
		fmt.Fprintf(os.Stderr, "threadcall: %d functions have called runtime.Goexit on %v, as t.Fatal "+
			"and t.Skip do: their frames stay on its stack until it ends, and each makes every garbage "+
			"collection longer; let functions return, and call Goexit after the call\n", manyExits, e)
	}
}

// Serve runs what was queued before it was called, and returns how many functions that were. If
// limit is positive, it leaves queued what does not begin within that; one function runs in any
// case. If rest is not nil and several are to run, it is called before the first of them.
//
// On must be true: after the thread has been terminated and has stopped serving, Close may not yet
// have refused all that is queued.
//
//threadcall:noalloc
func (e *Engine) Serve(limit time.Duration, rest func()) int {
	defer func() {
		e.endYields()
		// what those goroutines queue is announced as what comes later, and not by endLoop
		if e.idleState.woke > 0 {
			e.handOn(0)
		}
	}()
	defer e.endLoop(e.beginLoop(0))
	defer e.Labels.Relabel(e.Labels.Unlabel())
	defer e.restElsewhere() // also after a Wait inside a function
	e.restElsewhere()
	return e.runQueued(limit, rest)
}

// handOn yields if goroutines wait for a P, and none of so many Ps is free to take them. park calls
// it at the end of a timeslice, and letRun. So does what blocks in native code next, with ps zero:
// there the thread keeps its P until the Go runtime notices, after up to 10 ms. Until then the
// goroutines in the queue of that P wait, unless another P is idle: callers to which the thread has
// returned, and goroutines that callbacks of block have made ready. It is not known in which P's
// queue they are, nor whether a P is idle or kept by another native wait.
//
//threadcall:noalloc
func (e *Engine) handOn(ps int) (yielded bool) {
	e.idleState.woke = 0
	waiting, ok := e.idleState.Load.Waiting(ps)
	if !ok {
		return e.idleState.Load.Yield(runtime.Gosched)
	}
	if waiting {
		runtime.Gosched()
	}
	return waiting
}

// runQueued runs what has been queued until now, and returns how many functions that were. limit
// and rest are as in Serve.
//
//threadcall:noalloc
func (e *Engine) runQueued(limit time.Duration, rest func()) (n int) {
	if last, ok := e.q.Mark(); ok {
		start := clock.Now()
		e.Counts.Work(start)
		c := e.q.TakeUntil(last)
		if rest != nil && e.q.Pending() {
			rest()
		}
		for ; c != nil; c = e.q.TakeUntil(last) {
			if e.run(c, nil) {
				n++
				e.took()
			}
			if limit > 0 && n > 0 && clock.Now()-start >= limit {
				break
			}
		}
	}
	return n
}

// ServeContext serves until ctx is done or the thread terminated.
func (e *Engine) ServeContext(ctx context.Context) error {
	cancel, outerCancel := ctx.Done(), e.cancel
	defer afterFunc(ctx, e.unpark)() // cancel is closed before; sleep looks at it before it waits
	relabel := e.Labels.Serve(ctx, !e.own && e.serving.Load() == 0)
	always := e.q.RestsAlways()
	e.q.RestAlways(e.onWake.Load() != nil) // while the engine has the thread, it looks by itself
	outer := e.beginLoop(0)
	e.cancel = cancel
	e.Counts.Work(clock.Now())
	serveAll(e.loop, e.countExit, func() {
		e.cancel = outerCancel
		e.q.Awake() // if cancel was closed while it rested
		e.idleState.Stop()
		relabel()
		e.q.RestAlways(always || e.onWake.Load() != nil)
		e.endLoop(outer)
	})
	if isClosed(cancel) {
		return Cause(ctx)
	}
	return ErrTerminated
}

// loop serves until the thread is terminated, or e.cancel is closed.
func (e *Engine) loop() {
	for !e.q.Closed() && (e.cancel == nil || !isClosed(e.cancel)) {
		if c := e.take(); c == nil {
			e.idle()
		} else if e.run(c, nil) {
			e.took()
		}
	}
}

// take takes a call, if there is one.
//
//threadcall:noalloc
func (e *Engine) take() *callq.Call {
	e.restElsewhere() // after a Wait inside a function, the next may have a loop of its own
	if c := e.q.Take(); c != nil || e.pool == nil {
		return c
	}
	return e.pool.next(e)
}

// restElsewhere makes the thread one that OnWake's callback reaches, if there is one: after a Wait,
// which looks before it blocks, the host may wait elsewhere.
//
//threadcall:noalloc
func (e *Engine) restElsewhere() {
	if e.onWake.Load() != nil {
		e.q.RestAlways(true)
	}
}

// run runs a call that was taken. It is false if there was nothing to run. during is as in
// runAwaited.
//
//threadcall:noalloc
func (e *Engine) run(c *callq.Call, during *wait) bool {
	switch c.Kind {
	case callq.Control:
		fn := c.Fn
		if c.Drop(); fn != nil {
			fn()
		}
		return false
	case callq.Posted, callq.Placed, callq.Posts:
		return e.runPosted(c)
	case callq.Withdrawable:
		if !c.Start() {
			e.Counts.Dropped++
			return false
		}
	}
	if c.Unwanted() {
		e.Counts.Dropped++
		c.Settle(callq.Refused)
		return false
	}
	e.current, e.idleState.Uncalled = c, 0
	e.runAwaited(c, during)
	return true
}

// runAwaited runs the function of a call whose caller waits, and settles the call. during is the
// wait during which the thread does that, if it waits.
//
// If the function calls Goexit, nothing here returns, and a deferred call settles the call, before
// the goroutine unwinds an outer function that waits for this one, as in a call in place. But first
// the thread abandons the call that it waits for itself, which must not begin any more.
//
//threadcall:noalloc
func (e *Engine) runAwaited(c *callq.Call, during *wait) {
	var panicked *fault.Fault
	outcome := callq.Exited
	defer func() {
		failed := panicked != nil && (outcome != callq.Exited || panicked != noValue)
		e.Counts.Ended(failed)
		e.current = nil
		if e.pool != nil && during == nil {
			e.busy.Store(false) // before its caller can know
		}
		if outcome == callq.Exited && during != nil {
			during.abandon()
		}
		if failed { // or a deferred call has panicked during Goexit
			c.Fault = panicked
		}
		if c.Settle(outcome) {
			e.idleState.woke++
		}
	}()
	e.Counts.Calls++
	err := invoke(c.Fn, c.Try(), &panicked)
	if outcome = callq.Ran; panicked != nil {
		outcome = callq.Panicked
	} else if err != nil {
		c.Fail(err)
		outcome = callq.Failed
	}
}

// runPosted runs the function of a call that nothing waits for, and reports its panic. It is false
// if the function was withdrawn.
//
//threadcall:noalloc
func (e *Engine) runPosted(c *callq.Call) (ran bool) {
	if c.Kind == callq.Placed {
		<-e.of.limit.places
	}
	fn := c.PostRun() // before fn, which may call Go and need a record
	var panicked *fault.Fault
	returned := false
	defer func() {
		failed := panicked != nil && (returned || panicked != noValue)
		if ran = !e.Withdrawn; ran || failed {
			e.Counts.Ended(failed)
		} else {
			e.Counts.Skipped++
		}
		if e.Withdrawn = false; failed {
			e.of.panicked(panicked, e) //threadcall:alloc for the report
		}
	}()
	e.Counts.Posts++
	invoke(fn, nil, &panicked)
	returned = true
	return true // the deferred call corrects that
}

// invoke runs try, or fn if that is nil, and stores its panic. If that calls Goexit, invoke does
// not return; it has then stored a panic that a deferred call has raised meanwhile, or noValue.
//
//threadcall:noalloc
func invoke(fn func(), try func() error, panicked **fault.Fault) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			*panicked = fault.Caught(v)
		} else {
			*panicked = noValue
		}
	}()
	if try != nil {
		err = try()
	} else {
		fn()
	}
	returned = true
	return err
}

// noValue is what recover returning nil means: Goexit, or with GODEBUG=panicnil=1 a panic with a
// nil value. It is no allocation, because the frames of a function that calls Goexit stay on the
// thread's stack, and what they refer to lives as long as the thread.
var noValue = new(fault.Fault)
