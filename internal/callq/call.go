package callq

import (
	"context"
	"sync/atomic"
)

// A Call is one function on its way to a thread. Queue.Get gives one out; its owner is then, in turn, the goroutine
// that got it, the queue that it was pushed to, and the thread that took it. A posted call (Go) stays with the
// thread, which runs it and frees it. An awaited call (Call) comes back to its caller through state:
//
//	from                to         by      meaning
//	queued              queued+p   caller  it is going to sleep on Token: who settles the call owes one
//	queued, queued+p    started    thread  withdrawable calls only: the caller now waits for the end (+p stays)
//	started             started+p  caller  as above
//	queued, queued+p    withdrawn  caller  withdrawable calls only: a deadline came first. The function will not
//	                                       run, and the record is now the thread's to free
//	any but withdrawn   settled    thread  the last touch, but for the token that it owes: the function has Ran, or
//	                                       Panicked, or Exited its goroutine; or it was Refused by Close, or had
//	                                       Expired with its context, and will never run
//	any unsettled       +o         caller  its goroutine ends while it waits: who settles the call frees it
//
// Both sides of each race are one atomic operation on state, so exactly one wins: Start against Withdraw, and the
// Swap of Settle against Doze (either Doze sees the outcome, or Settle sees that it owes a token).
//
// fn and all that it shares with its caller are written before the compare-and-swap of Push and read after the one
// of Take; its results and Fault are written before the Swap of Settle and read after a load that saw it.
type Call struct {
	state  atomic.Uint32
	Kind   Kind
	next   atomic.Pointer[Call] // the call pushed before it while in Queue.head, after it in a taken list
	Fn     func()               // cleared once it has run, so that what it captured can be collected
	token  chan struct{}        // made when a caller first sleeps on this record, kept for life
	Fault  *Fault               // why an outcome is Panicked
	Poster uintptr              // ident.G of the goroutine that pushed it
	Queue  *Queue               // for life
	Ctx    context.Context      // of a withdrawable call; last, so that the rest of first fits one line with head
}

// Kind says what is expected of a call.
type Kind uint32

const (
	Awaited      Kind = iota // a caller waits until the call is settled
	Withdrawable             // a caller waits, and may give up before the call starts
	Posted                   // nobody waits
	Placed                   // a posted call that has a place in a bounded queue
	Control                  // Fn is the engine's own and is run as part of serving
)

// Outcome is how a call ended; zero means that it has not.
type Outcome uint32

const (
	queued    = 0
	started   = 1
	withdrawn = 2
	dozing    = 1 << 4 // the +p above
	orphaned  = 1 << 5 // the +o above
	marks     = dozing | orphaned

	Ran      Outcome = 4
	Panicked Outcome = 5
	Exited   Outcome = 6
	Refused  Outcome = 7
	Expired  Outcome = 8
)

// Outcome returns how the call ended, or zero while it has not.
//
//threadcall:noalloc
func (c *Call) Outcome() Outcome {
	if s := c.state.Load() &^ marks; s >= uint32(Ran) {
		return Outcome(s)
	}
	return 0
}

// Doze says that the caller is about to sleep on Token. It is false if the call has been settled.
//
//threadcall:noalloc
func (c *Call) Doze() bool {
	for {
		s := c.state.Load()
		if s&^marks >= uint32(Ran) {
			return false
		}
		if s&dozing != 0 {
			return true
		}
		if c.token == nil {
			c.token = make(chan struct{}, 1) //threadcall:alloc once for each record
		}
		if c.state.CompareAndSwap(s, s|dozing) {
			return true
		}
	}
}

// Token is where a dozing caller receives. A token means "look again": it may be left over from an earlier use of
// the record, or be somebody's Poke.
func (c *Call) Token() <-chan struct{} { return c.token }

// Poke makes a dozing caller look again. It may be called by anyone who has seen the caller doze, even if the
// record has changed hands since.
func (c *Call) Poke() {
	select {
	case c.token <- struct{}{}:
	default: // a token that nobody has taken yet says the same
	}
}

// Orphan leaves an awaited call to whoever settles it: its caller will not look again.
func (c *Call) Orphan() {
	for {
		s := c.state.Load()
		if s&^marks >= uint32(Ran) {
			c.Queue.Put(c)
			return
		}
		if c.state.CompareAndSwap(s, s|orphaned) {
			return
		}
	}
}

// Start takes a withdrawable call for running. False means that there is nothing to run: it was withdrawn, and has
// been freed, or its context is done, and it has been settled as Expired.
//
//threadcall:noalloc
func (c *Call) Start() bool {
	expired := c.Ctx.Err() != nil
	for {
		s := c.state.Load()
		if s == withdrawn {
			c.Fn, c.Ctx = nil, nil
			c.Queue.Put(c)
			return false
		}
		if c.state.CompareAndSwap(s, s|started) {
			break
		}
	}
	if expired {
		c.Settle(Expired)
	}
	return !expired
}

// Withdraw takes back a withdrawable call before it starts. If it is true the record belongs to the thread.
func (c *Call) Withdraw() bool {
	for {
		s := c.state.Load()
		if s&^marks != queued {
			return false
		}
		if c.state.CompareAndSwap(s, withdrawn) {
			return true
		}
	}
}

// Settle gives an awaited call back to its caller, and tells whether that had to be woken. The record must not be
// touched afterwards.
//
//threadcall:noalloc
func (c *Call) Settle(o Outcome) (woke bool) {
	c.Fn = nil
	if c.Kind == Withdrawable {
		c.Ctx = nil
	}
	switch old := c.state.Swap(uint32(o)); {
	case old&orphaned != 0:
		c.Queue.Put(c)
	case old&dozing != 0:
		c.Poke() // token is the one field that does not change with the owner
		return true
	}
	return false
}
