package engine

import (
	"context"
	"runtime/trace"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/ident"
)

// serveAll runs loop, which serves above depth on the stack, and then end. It goes on with loop when a function has
// called Goexit: the goroutine is then running its deferred calls and cannot be stopped from ending, but it can be
// kept from getting there.
func (e *Engine) serveAll(depth int, loop, end func()) {
	ended := false
	defer func() {
		if !ended {
			e.settleExited(depth)
			e.serveAll(depth, loop, end)
		}
	}()
	loop()
	ended = true
	end()
}

func (e *Engine) loop() {
	for !e.q.Closed() {
		if !e.step() {
			e.idle()
		}
	}
}

// step takes a call, if there is one, and runs it.
//
//threadcall:noalloc
func (e *Engine) step() bool {
	if e.hook.Load() != nil {
		e.q.RestAlways(true)
		e.rung.Store(false)
	}
	c := e.q.Take()
	if c == nil && e.pool != nil {
		c = e.pool.next(e)
	}
	if c == nil {
		return false
	}
	e.run(c)
	return true
}

// Serve runs what was queued before it was called, and returns how many functions that were.
//
//threadcall:noalloc
func (e *Engine) Serve() int {
	e.begin()
	defer e.end()
	depth := len(e.stack)
	ended := false
	defer func() {
		if !ended {
			e.settleExited(depth) // the callers must not wait for a goroutine that is ending
			if e.q.Pending() {
				e.rung.Store(false)
				e.wake() // a host that goes on in a deferred call must serve what is left
			}
		}
	}()
	if e.hook.Load() != nil {
		e.q.RestAlways(true) // whoever set the hook could not
	}
	e.rung.Store(false)
	e.q.Gather()
	n := 0
	for c := e.q.TakeReady(); c != nil; c = e.q.TakeReady() {
		if e.run(c) {
			n++
		}
	}
	ended = true
	return n
}

// ServeContext serves until ctx is done or the thread terminated.
func (e *Engine) ServeContext(ctx context.Context) (err error) {
	defer context.AfterFunc(ctx, e.nudge)()
	always := e.q.RestsAlways()
	e.q.RestAlways(e.hook.Load() != nil) // while the engine has the thread, it looks by itself
	e.begin()
	e.serveAll(len(e.stack), func() {
		for err == nil {
			if err = ctx.Err(); err != nil {
				break
			}
			if e.q.Closed() {
				err = ErrTerminated
			} else if !e.step() {
				e.idle()
			}
		}
	}, func() {
		if e.q.RestAlways(always || e.hook.Load() != nil); e.q.RestsAlways() {
			e.leave()
		}
		e.end()
	})
	return err
}

// run runs a call that was taken. It is false if there was nothing to run.
//
//threadcall:noalloc
func (e *Engine) run(c *callq.Call) bool {
	switch c.Kind {
	case callq.Control:
		fn := c.Fn
		c.Fn = nil
		c.Queue.Put(c)
		if fn != nil {
			fn()
		}
		return false
	case callq.Posted, callq.Placed:
		limit := e.limit
		if e.pool != nil {
			limit = e.pool.limit
		}
		if c.Kind == callq.Placed {
			limit.leave()
		}
		fn := c.Fn
		c.Fn = nil
		if e.posted > 0 && c.Poster == e.g.Load() {
			e.posted--
		}
		c.Queue.Put(c) // before fn, which may call Go and need one
		if fault := e.invoke(fn); fault != nil {
			if e.pool != nil {
				e.pool.faults.add(fault)
			} else {
				e.faults.add(fault)
			}
		}
		return true
	case callq.Withdrawable:
		if !c.Start() {
			return false
		}
	}
	e.stack = append(e.stack, c) //threadcall:alloc when calls nest deeper than ever
	fault := e.invoke(c.Fn)
	e.stack = e.stack[:len(e.stack)-1]
	outcome := callq.Ran
	if fault != nil {
		e.caught = nil
		c.Fault = fault
		outcome = callq.Panicked
	}
	if c.Settle(outcome) {
		e.rest.woke = true
	}
	return true
}

// invoke runs fn and returns its panic. If fn calls Goexit, invoke does not return; the deferred calls of whoever
// serves then settle what is on the stack.
//
//threadcall:noalloc
func (e *Engine) invoke(fn func()) (fault *callq.Fault) {
	returned := false
	defer func() {
		if !returned {
			fault = caught(recover())
			e.caught = fault
		}
	}()
	fn()
	returned = true
	return nil
}

// settleExited ends the calls above depth on the stack, whose functions are being unwound by Goexit.
func (e *Engine) settleExited(depth int) {
	fault := e.caught
	if e.caught = nil; fault != nil && fault.Value == nil {
		fault = nil // nothing but Goexit
	}
	for len(e.stack) > depth {
		c := e.stack[len(e.stack)-1]
		e.stack = e.stack[:len(e.stack)-1]
		c.Fault, fault = fault, nil
		c.Settle(callq.Exited)
	}
}

// nested runs fn for a caller that is on the thread already: in place, after what the same goroutine queued by Go.
//
//threadcall:noalloc
func (e *Engine) nested(g uintptr, fn func()) bool {
	ok := e.mayNest(g)
	switch {
	case !ok:
	case trace.IsEnabled():
		inPlace(fn)
	default:
		fn()
	}
	return ok
}

// mayNest runs what g has queued by Go, and tells whether a nested call may follow.
func (e *Engine) mayNest(g uintptr) bool {
	if e.posted > 0 && !e.q.Closed() {
		e.runFrom(g, nil)
	}
	return !e.q.Closed()
}

// runFrom runs what poster has queued, in its order, up to and including last if that is not nil.
func (e *Engine) runFrom(poster uintptr, last *callq.Call) {
	list := e.q.TakeFrom(poster, last)
	e.runList(list)
}

func (e *Engine) runList(list *callq.Call) {
	defer func() { e.q.Return(list) }() // what is left of it when a function calls Goexit, or Terminate
	for list != nil && !e.q.Closed() {
		var c *callq.Call
		c, list = callq.Pop(list)
		e.run(c)
	}
}

// OnGoroutine tells whether the caller is the goroutine that serves.
func (e *Engine) OnGoroutine() bool { return e.g.Load() == ident.G() }
