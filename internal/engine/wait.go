package engine

import "github.com/threadcall/threadcall/internal/callq"

// await waits for the outcome of c, or for cancel in order to withdraw it. self is the thread that
// the caller is on, if any.
//
//threadcall:noalloc
func (e *Engine) await(
	cancel <-chan struct{}, c *callq.Call, self *Engine, woke, behind bool,
) callq.Outcome {
	if o := e.waits.Wait(c, self != nil, woke, behind); o != 0 {
		if e.yields.kind.Load() != 0 {
			e.yield(self)
		}
		return o
	}
	if behind && e.pool != nil {
		e.pool.seek(c)
	}
	o := block(cancel, c, self, &e.target)
	if e.yields.kind.Load() != 0 {
		e.yields.kind.Store(0) // the caller's P was free meanwhile
	}
	e.waits.Note(&e.waits.Returned)
	return o
}

// block waits without spinning for c, which is in the queue or the backlog of x.
//
//threadcall:noalloc
func block(cancel <-chan struct{}, c *callq.Call, self *Engine, x *target) callq.Outcome {
	if x != nil && !x.on.own {
		defer x.on.endWait(x.on.beginWait())
	}
	if self != nil {
		return self.waitFor(wait{call: c, of: x}, cancel)
	}
	for c.Park() {
		if !waitToken(c, &cancel) {
			return callq.Withdrawn
		}
	}
	return c.Outcome()
}

// waitToken waits for the token of c, or for cancel, and then withdraws c. It is false if c was
// withdrawn. If c has started already, cancel becomes nil.
//
//threadcall:noalloc
func waitToken(c *callq.Call, cancel *<-chan struct{}) bool {
	if !c.Token().Wait(*cancel) {
		if c.Withdraw() {
			return false
		}
		*cancel = nil
	}
	return true
}
