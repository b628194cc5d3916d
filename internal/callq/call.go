package callq

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/fault"
	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/park"
)

// A Call is one function on its way to a thread. Queue.Get gives one out; its owner is then, in
// turn, the goroutine that got it, the queue that it was pushed to, and the thread that took it. A
// posted call (Go) stays with the thread, which runs it and frees it. An awaited call (Call) comes
// back to its caller through state:
//
//	from         to           by      meaning
//	queued       queued+p     caller  it is about to park; settling the call owes it a token
//	queued(+p)   started(+p)  thread  if withdrawable: the caller now waits for the end (+p stays).
//	                                  If awaited: its function serves or waits, see Begun
//	queued(+p)   started(+p)  Close   the call is refused
//	started      started+p    caller  as above
//	queued(+p)   withdrawn    caller  if withdrawable: the caller gives up, and Fn will not run
//	withdrawn    +c, +q       both    each has let go of the record, the caller when it has cleared
//	                                  it, the queue when it has removed it; the second frees it
//	queued(+p),  settled      thread  the last touch, but for the token that it owes: Fn has Ran,
//	started(+p)                       Failed, Panicked, or Exited its goroutine; or the call was
//	                                  Refused by Close, or Expired with its context, and Fn will
//	                                  not run
//	queued(+p),  +u           caller  if awaited: a Goexit unwinds the caller while it waits. A
//	settled                           thread that takes the call after that refuses it
//
// Both sides of each race are one atomic operation on state, so exactly one wins: Start against
// Withdraw, and the Swap of Settle against Park (either Park sees the outcome, or Settle sees that
// it owes a token). An awaited call that has been taken is not marked as started unless its thread
// waits, because that would cost one more transfer of its cache line; so only its settling ends a
// caller's wait for it, and its caller cannot withdraw it.
//
// While the call is queued, started or withdrawn, the upper bits of state are the number of the
// thread that has pushed it, zero for all that never wait in a cycle. A record that is used again
// never has the number of a thread that waits. So another thread may ask with one load whether the
// record is still what the first one has queued.
//
// Fn and all that it shares with its caller are written before the compare-and-swap of Push and
// read after the one of Take; its results and Fault are written before the Swap of Settle and read
// after a load that saw it.
type Call struct {
	state atomic.Uint64
	Kind  Kind
	// of a block: its last function has been taken, and it is in no list; the thread's
	spent bool
	tries bool // Fn is a func() error, see Try
	// in ready, and so many Marks are behind it; the thread's
	marks uint32
	// the call pushed before it while in Queue.head, after it in a taken list
	next atomic.Pointer[Call]
	// cleared once it has run, so that what it captured can be collected
	Fn    func()
	token atomic.Pointer[park.Token]
	Fault *fault.Fault // why an outcome is Panicked or Failed
	Queue *Queue       // for life

	// The fields above fill a cache line together with Queue.head, or in a slab with the allocator's
	// header of eight bytes. Those below are not used by every call.

	Ctx    context.Context  // of a withdrawable call; nil if the thread must not look at it
	Node   list.Node[*Call] // in the backlog of a pool; for Before in a queue, see TakeOutOfTurn
	Worker int32            // which of the pool's threads has taken it, from 1; guarded by the pool
	walk   uint32           // see Oldest

	// what the same thread has pushed before with a record of the same queue; may be out of date
	Earlier atomic.Pointer[Call]

	// The next two fill a third line.

	posts atomic.Uint64 // what a block has, see block
	fns   block

	Later *Call // see Oldest
}

func (c *Call) init(q *Queue, kind Kind) { c.Queue, c.Node.Value, c.Kind = q, c, kind }

// SetTry makes f the function of c in place of Fn. It is kept there: a field more would be a fourth
// line, and a record of its own, as for other results, two transfers of one, half the time of a
// call. All values of func types are alike in memory.
//
//threadcall:noalloc
func (c *Call) SetTry(f func() error) {
	c.Fn, c.tries = *(*func())(unsafe.Pointer(&f)), true
}

// Try returns what SetTry has set, or nil: then Fn is the function.
//
//threadcall:noalloc
func (c *Call) Try() func() error {
	if !c.tries {
		return nil
	}
	return *(*func() error)(unsafe.Pointer(&c.Fn))
}

var failures = sync.Pool{New: func() any { return new(fault.Fault) }}

// Fail notes the error of Try before c is settled as Failed.
//
//threadcall:noalloc
func (c *Call) Fail(err error) {
	c.Fault = failures.Get().(*fault.Fault) //threadcall:alloc when more fail than before
	c.Fault.Value = err
}

// Failure returns the error of a call that was settled as Failed.
//
//threadcall:noalloc
func (c *Call) Failure() error {
	err := c.Fault.Value.(error)
	c.Fault.Value = nil
	failures.Put(c.Fault)
	c.Fault = nil
	return err
}

// Kind says what is expected of a call.
type Kind uint8

const (
	Awaited      Kind = iota // a caller waits until the call is settled
	Withdrawable             // a caller waits, and may give up before the call starts
	Posted                   // nothing waits
	Placed                   // a posted call that has a place in a bounded queue
	Posts                    // several posted calls, see block
	Control                  // Fn, which may be nil, is the engine's own and is run as part of serving
)

// Outcome is how a call ended; zero means that it has not.
type Outcome uint32

const (
	queued  = 0
	started = 1
	phase   = 1<<4 - 1 // queued, started, or an Outcome

	parked      = 1 << 4 // +p
	unwanted    = 1 << 5 // +u
	callerLetGo = 1 << 6 // +c
	queueLetGo  = 1 << 7 // +q

	posterBits = 8 // the number of the poster is above

	Withdrawn Outcome = 2 // not settled: by its caller, whose record it is no longer
	Ran       Outcome = 4
	Panicked  Outcome = 5
	Exited    Outcome = 6
	Refused   Outcome = 7
	Expired   Outcome = 8
	Failed    Outcome = 9 // Ran, and has returned an error

	withdrawn = uint64(Withdrawn)
)

// settled reports whether s is the state of a call that has an outcome.
func settled(s uint64) bool { return s&phase >= uint64(Ran) }

// Outcome returns how the call was settled, or zero while it has not been.
//
//threadcall:noalloc
func (c *Call) Outcome() Outcome {
	if s := c.state.Load(); settled(s) {
		return Outcome(s & phase)
	}
	return 0
}

// Park says that the caller is about to park on the call's token. It is false if the call has been
// settled. The first caller of a record that parks makes its token. If only that caller is in a
// bubble of testing/synctest, and not the thread, then the token is of the kind that works across,
// see park.Token; other callers can use it as well.
//
//threadcall:noalloc
func (c *Call) Park() bool {
	for {
		s := c.state.Load()
		if settled(s) {
			return false
		}
		if s&parked != 0 {
			return true
		}
		if c.token.Load() == nil {
			c.token.Store(park.NewToken(!c.Queue.bubbled && clock.InBubble())) //threadcall:alloc once each
		}
		if c.state.CompareAndSwap(s, s|parked) {
			return true
		}
	}
}

// Token is what a parked caller waits for. It means "look again": it may be left over from an
// earlier use of the record, or come from Notify.
func (c *Call) Token() *park.Token { return c.token.Load() }

// Notify makes a parked caller look again. It may be called by any goroutine that has seen the
// caller park, even if the record has changed hands since.
//
//threadcall:noalloc
func (c *Call) Notify() { c.token.Load().Wake() }

// Abandon says that the caller wants the call not to begin any more, because a Goexit unwinds it.
// If it is true, the record is no longer the caller's. Otherwise the call may have begun, and the
// caller must wait until it is settled.
func (c *Call) Abandon() bool {
	if c.Kind == Withdrawable {
		return c.Withdraw()
	}
	c.state.Or(unwanted)
	return false
}

// Unwanted reports whether the thread that has taken an awaited call must not run it.
//
//threadcall:noalloc
func (c *Call) Unwanted() bool { return c.state.Load()&unwanted != 0 }

// Begun says that an awaited call has begun to run, so that others need not ask whether the thread
// has taken it.
func (c *Call) Begun() { c.state.Or(started) }

// Start takes a withdrawable call for running. False means that there is nothing to run: it was
// withdrawn, and the record is not the thread's any more, or its context is done, and it has been
// settled as Expired.
//
//threadcall:noalloc
func (c *Call) Start() bool {
	return c.claim() && (c.Ctx == nil || !c.expired())
}

// expired settles a call whose context is done, or panics: a context of another package may do so
// on this goroutine alone.
//
//threadcall:noalloc
func (c *Call) expired() (yes bool) {
	outcome := Exited
	defer func() {
		if v := recover(); v != nil {
			c.Fault, outcome = fault.Caught(v), Panicked
		}
		if outcome != 0 {
			c.Settle(outcome)
			yes = true
		}
	}()
	if Done(c.Ctx) {
		outcome = Expired
	} else {
		outcome = 0
	}
	return false
}

// Done reports whether ctx is done, also if it is of another package, and says only either of the
// two: that Done is closed, or why.
//
//threadcall:noalloc
func Done(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// claim is Start without a look at the context, which may have a lock that the caller of Close
// holds. It is false if the call was withdrawn.
//
//threadcall:noalloc
func (c *Call) claim() bool {
	for {
		s := c.state.Load()
		if s&phase != queued {
			c.letGo(queueLetGo)
			return false
		}
		if c.state.CompareAndSwap(s, s|started) {
			return true
		}
	}
}

// Withdraw takes back a withdrawable call before it starts. If it is true, the record is no longer
// the caller's, and refers to nothing any more although the thread may not take it for long.
func (c *Call) Withdraw() bool {
	for {
		s := c.state.Load()
		if s&phase != queued {
			return false
		}
		if c.state.CompareAndSwap(s, s&^parked|withdrawn) {
			break
		}
	}
	c.Fn, c.Ctx = nil, nil
	c.letGo(callerLetGo)
	return true
}

// letGo is the last touch of a record that was withdrawn, by its caller or by the queue.
func (c *Call) letGo(mine uint64) {
	if c.state.Or(mine)&(callerLetGo|queueLetGo) != 0 {
		c.free()
	}
}

// Settle gives an awaited call back to its caller, and reports whether that had to be woken. The
// record must not be touched afterwards.
//
//threadcall:noalloc
func (c *Call) Settle(o Outcome) (woke bool) {
	c.Fn = nil
	s := c.state.Swap(uint64(o))
	if settled(s) {
		panic("threadcall: internal error: a call is settled twice")
	}
	if s&parked == 0 {
		return false
	}
	c.Notify() // if the caller is gone already, the record's next owner bears a wake-up too many
	return true
}

// Drop gives back the record, of which the caller is the only owner. It writes only what it has to:
// the thread has written last to the line of most fields, and looks at the head of the queue there.
//
//threadcall:noalloc
func (c *Call) Drop() {
	if c.Fn != nil {
		c.Fn = nil
	}
	if c.Fault != nil {
		c.Fault = nil
	}
	if c.Ctx != nil {
		c.Ctx = nil
	}
	c.free()
}

// free gives back a record that refers to nothing any more. Of a call that was settled, state has
// the outcome and no poster's number; Get sets it.
//
//threadcall:noalloc
func (c *Call) free() {
	if s := c.state.Load(); s != 0 && !settled(s) {
		c.state.Store(0)
	}
	c.Queue.Put(c)
}

// PostRun returns the function of a posted call that was taken, and gives back the record.
//
//threadcall:noalloc
func (c *Call) PostRun() (fn func()) {
	fn = c.Fn
	c.Fn = nil
	if c.Kind != Posts {
		c.free()
	} else if c.spent {
		c.spent = false
		c.leave()
	}
	return fn
}
