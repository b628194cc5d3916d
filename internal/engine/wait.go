package engine

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/park"
)

// A thread and its callers wait for each other in one of three states. Only the thread changes it:
//
//	state     spin  offer  the thread                 a caller that
//	                                                  has woken it      found it up
//	parked    0     0      parks when its queue is    parks             parks
//	                       empty, or is in its
//	                       host's event loop
//	offered   0     > 0    is parked, but wants to    looks for offer,  parks
//	                       spin                       then parks
//	spinning  > 0   0      has a spinSlot: looks at   -                 looks for spin,
//	                       its queue, or runs                           then parks
//
//	from     to        in             when
//	parked   offered   park           before the thread parks: spinning pays, and a slot is free
//	offered  offered   park           woken: the offer is for the next caller that wakes the thread
//	any      spinning  startSpinning  the queue is empty, spinning pays, a slot is free, and no lone
//	                                  caller was parked
//	any      parked    stopSpinning   nothing came for spinPolicy.lookFor, a lone caller was parked,
//	                                  the slot is lost, thread and caller share a core, the price is
//	                                  to be measured again, or the thread stops serving: when
//	                                  ServeContext returns, or for ever
//
// Each of these waits is bounded, so nothing depends on what a caller reads still being true. A
// caller is an ordinary goroutine and waits
//
//	looking  at its record, if the thread spins or offers to. If it may be on the core of the
//	         thread, it yields that
//	Gosched  instead, if other callers are queued before it, which are to be heard before the thread
//	         answers all at once. Not if goroutines that compute are in the way
//	parked   until the thread sends a token
//
// Two sides that spin hold two Ps, perhaps all there are. So the thread, which reads the clock,
// tells callers and posters when to let the Go scheduler run what waits for a P, see yieldState.
const (
	callerLooks = 24                     // before the first look at the clock
	meetPrices  = 3                      // prices of parking for which a caller waits for a thread
	minMeet     = 150 * time.Microsecond // that it has woken, but so long at least: cores sleep
	turns       = 2                      // of Gosched between two looks at the clock
	slowTurns   = 2 * time.Millisecond   // longer ones are shared with goroutines that compute
	noTurns     = 100 * time.Millisecond // for which that is believed
	unknown     = -1

	// After an attempt for which there was no P or no core, the thread does not spin for a time.
	firstBackoff = 500 * time.Microsecond
	maxBackoff   = 100 * time.Millisecond // so attempts in vain take less than 1 % of the time

	// A side that spins and does not run for so long has lost its core to another process or its P
	// to another goroutine. Between two looks are two microseconds otherwise.
	coreLost  = 500 * time.Microsecond
	maxCredit = 8 * time.Millisecond // two timeslices of Linux: calls of a moment pay for those
	leastLost = 8                    // times what was lost, the thread does not spin
	mostLost  = time.Second          // but so long at most
)

// A waitState is what callers and thread know about each other's waiting. Nothing depends on it
// being right.
type waitState struct {
	spin     atomic.Int64 // how long a caller looks, a time.Duration; zero unless the thread spins
	offer    atomic.Int64 // how long the caller that wakes the thread looks, a time.Duration
	core     atomic.Int32 // of the thread, when it last looked at the clock in a spin, or unknown
	caller   atomic.Int32 // of a caller, when it did, or unknown
	price    atomic.Int64 // of parking, a time.Duration
	met      atomic.Int64 // mean time for which callers look for a thread that they have woken
	pushed   atomic.Int64 // when the thread was last woken
	returned atomic.Int64 // when a caller that was parked has last run again
	retry    atomic.Int64 // when the thread may spin again after a failure
	backoff  atomic.Int64 // how long that was, a time.Duration; zero after a success
	lost     atomic.Int64 // for how long sides that spin have not run, a time.Duration
}

func (l *waitState) init() {
	l.core.Store(unknown)
	l.caller.Store(unknown)
	l.price.Store(int64(firstPrice))
	l.met.Store(int64(firstMiss))
}

// failed keeps the thread from spinning for twice as long as after the last failure.
//
//threadcall:noalloc
func (l *waitState) failed(now time.Duration) { l.pause(now, firstBackoff, maxBackoff) }

// pause is failed, within limits.
//
//threadcall:noalloc
func (l *waitState) pause(now, least, most time.Duration) {
	backoff := min(max(2*time.Duration(l.backoff.Load()), least), most)
	l.backoff.Store(int64(backoff))
	l.retry.Store(int64(now + backoff))
}

// away is called by a side that looks, with two readings of the clock between which it has done
// nothing else.
//
//threadcall:noalloc
func (l *waitState) away(before, now time.Duration) {
	if now-before > coreLost {
		l.lost.Add(int64(now - before))
	}
}

// noTurnsUntil is when Gosched may be called again, a time.Duration.
var noTurnsUntil atomic.Int64

// await waits for the outcome of c, or for ctx in order to withdraw it. self is the thread that the
// caller is on, if any.
//
//threadcall:noalloc
func (e *Engine) await(
	ctx context.Context, c *callq.Call, self *Engine, woke, behind bool,
) callq.Outcome {
	if o := e.waits.wait(c, self, woke, behind); o != 0 {
		if e.yields.kind.Load() != 0 {
			e.yield(self)
		}
		return o
	}
	o := block(ctx, c, self, e, nil)
	if now, ok := clock.Outside(); ok {
		e.waits.returned.Store(int64(now))
		spinners.noteCaller(now)
	}
	return o
}

// block waits without spinning for c, which is in the queue of on or in the backlog of pool.
//
//threadcall:noalloc
func block(ctx context.Context, c *callq.Call, self, on *Engine, pool *Pool) callq.Outcome {
	if on != nil && on.permanent && !on.served.Load() {
		defer on.reportUnserved()() //threadcall:alloc until the main thread is served
	}
	if self != nil {
		return self.waitFor(wait{call: c, on: on, pool: pool}, ctx)
	}
	for c.Park() {
		if !waitToken(c, &ctx) {
			return callq.Withdrawn
		}
	}
	return c.Outcome()
}

// waitToken waits for the token of c, or for ctx, and then withdraws c. It is false if that was
// done; if c has started already, ctx becomes one that is never done.
//
//threadcall:noalloc
func waitToken(c *callq.Call, ctx *context.Context) bool {
	if !c.Token().Wait(*ctx) {
		if c.Withdraw() {
			return false
		}
		*ctx = never
	}
	return true
}

// wait waits without parking, and returns zero if that did not do.
//
//threadcall:noalloc
func (l *waitState) wait(c *callq.Call, self *Engine, woke, behind bool) callq.Outcome {
	if woke {
		return l.meet(c, time.Duration(l.offer.Load()))
	}
	limit := time.Duration(l.spin.Load())
	if behind || limit == 0 {
		if self == nil { // to a locked goroutine, Gosched is two changes of threads
			takeTurns(c, time.Duration(l.price.Load()))
		}
		return c.Outcome()
	}
	return l.look(c, clock.Now(), limit, false)
}

// look looks at c until it is settled or limit is over. If the caller is on the core of the thread,
// or yields is true, it yields that between two looks at the clock.
//
//threadcall:noalloc
func (l *waitState) look(c *callq.Call, start, limit time.Duration, yields bool) callq.Outcome {
	for now := start; now-start < limit; {
		for range looks {
			if o := c.Outcome(); o != 0 {
				if now != start {
					l.away(now, clock.Now())
				}
				return o
			}
			park.Relax()
		}
		before := now
		if now = clock.Now(); now == start {
			break // the clock of a bubble stands still
		}
		l.away(before, now)
		if here := int32(cores.Current()); here != l.caller.Load() {
			l.caller.Store(here)
		}
		if yields || l.caller.Load() == l.core.Load() {
			cores.Yield()
		}
	}
	return c.Outcome()
}

// meet waits for a thread that the caller has woken, for it to run beside the caller and not in its
// place. The thread is in the queue of the caller's P, and must be taken by another: goroutines
// next in line are not taken by other Ps for 3 µs or what the kernel makes of that (60 µs on
// Linux), so another goroutine takes that place. And the thread of the operating system that is to
// take it may have been woken on the caller's core.
//
//threadcall:noalloc
func (l *waitState) meet(c *callq.Call, limit time.Duration) callq.Outcome {
	if limit == 0 {
		return 0
	}
	start, ok := clock.Outside()
	if !ok || !spinners.open(start) {
		return 0
	}
	go nothing() //threadcall:alloc the runtime's g, when its caches are empty
	o := l.look(c, start, limit, true)
	met := l.met.Load()
	l.met.Store(met + (int64(clock.Now()-start)-met)/memory)
	return o
}

func nothing() {}

// takeTurns calls Gosched until c is settled, or the time is over that parking would cost.
//
//threadcall:noalloc
func takeTurns(c *callq.Call, price time.Duration) {
	start := clock.Now()
	if int64(start) < noTurnsUntil.Load() {
		return
	}
	for now := start; now-start <= price; {
		for range turns {
			runtime.Gosched()
			if c.Outcome() != 0 {
				return
			}
		}
		before := now
		now = clock.Now()
		if now-before > slowTurns {
			noTurnsUntil.Store(int64(now + noTurns))
		}
		if now == start {
			return // the clock of a bubble stands still
		}
	}
}
