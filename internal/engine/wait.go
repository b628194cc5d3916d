package engine

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/park"
)

// A caller that waits for its outcome is an ordinary goroutine, so that it can leave its P to others:
//
//	spin       if the thread spins, see pace.go. A caller that may be on the core of the thread yields it.
//	Gosched    instead of spinning, if others are queued before it: they are callers too, and want to be heard
//	           before the thread can answer all of them in one go. Not if goroutines that compute are in the way.
//	block      until the thread sends a token. At once, if the caller has woken the thread, which needs a P in order to run.
const (
	callerLooks = 24                     // before the first look at the clock
	meetPrices  = 16                     // how often the price of a wake-up a caller waits for the thread to run beside it
	turns       = 2                      // of Gosched between two looks at the clock
	slowTurns   = 2 * time.Millisecond   // those that take longer are shared with goroutines that compute
	noTurns     = 100 * time.Millisecond // for which that is believed
	unknown     = -1
)

// A waitState is what callers and thread know of each other's their waiting. Nothing depends on it being right.
type waitState struct {
	spin     atomic.Int64 // how long a caller spins, a time.Duration; zero unless the thread spins
	core     atomic.Int32 // that the thread was on when it began to spin, or unknown
	price    atomic.Int64 // of parking, a time.Duration
	measures atomic.Bool  // whether callers are to store the following
	pushed   atomic.Int64 // when the thread was last woken
	returned atomic.Int64 // when a caller that was parked has last run again
}

func (l *waitState) init() { l.core.Store(unknown) }

// noTurnsUntil is when Gosched may be called again, a time.Duration.
var noTurnsUntil atomic.Int64

// await waits for the outcome of c, or for ctx in order to withdraw it. self is the thread that the caller is on, if any.
//
//threadcall:noalloc
func (e *Engine) await(ctx context.Context, c *callq.Call, self *Engine, woke, behind bool) callq.Outcome {
	if o := e.waits.wait(c, self, woke, behind); o != 0 {
		return o
	}
	o := block(ctx, c, self, e, nil)
	if e.waits.measures.Load() {
		e.waits.returned.Store(int64(park.Now()))
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

// waitToken waits for the token of c, or for ctx, and then withdraws c. It is false if that was done; if c has started
// already, ctx becomes one that is never done.
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
	limit := time.Duration(l.spin.Load())
	switch {
	case woke && limit == 0:
		return 0
	case woke:
		return l.meet(c, limit)
	case behind || limit == 0:
		if self == nil { // to a locked goroutine, Gosched is two changes of threads
			takeTurns(c, time.Duration(l.price.Load()))
		}
		return c.Outcome()
	}
	return l.look(c, park.Now(), limit, false)
}

// look looks at c until it is settled or limit is over. If the caller is on the core of the thread, or yields is true, it yields that
// between two looks at the clock.
//
//threadcall:noalloc
func (l *waitState) look(c *callq.Call, start, limit time.Duration, yields bool) callq.Outcome {
	for now := start; now-start < limit; {
		for range looks {
			if o := c.Outcome(); o != 0 {
				return o
			}
			park.Relax()
		}
		if now = park.Now(); now == start {
			break // the clock of a bubble stands still
		}
		if yields || park.CPU() == int(l.core.Load()) {
			park.Yield()
		}
	}
	return c.Outcome()
}

// meet waits for a thread that the caller has woken, for it to run beside the caller and not in its place. The thread is in the
// queue of the caller's P, and must be taken by another: goroutines next in line are not taken by other Ps for 3 µs or what the
// kernel makes of that (60 µs on Linux), so another goroutine takes that place. And the thread of the operating
// system that is to take it may have been woken on the caller's core.
//
//threadcall:noalloc
func (l *waitState) meet(c *callq.Call, limit time.Duration) callq.Outcome {
	start := park.Now()
	if !spinners.open(start) || runtime.GOMAXPROCS(0) == 1 {
		return 0
	}
	l.pushed.Store(int64(start))
	go nothing() //threadcall:alloc the runtime's g, when its caches are empty
	return l.look(c, start, limit, true)
}

func nothing() {}

// takeTurns calls Gosched until c is settled, or for as long as parking would cost.
//
//threadcall:noalloc
func takeTurns(c *callq.Call, price time.Duration) {
	start := park.Now()
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
		now = park.Now()
		if now-before > slowTurns {
			noTurnsUntil.Store(int64(now + noTurns))
		}
		if now == start {
			return // the clock of a bubble stands still
		}
	}
}
