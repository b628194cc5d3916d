package engine

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/park"
)

// A caller that waits for its outcome also has stages. Unlike the thread it is an ordinary goroutine, so that it can
// leave its P to others:
//
//	spin       for as long as callers of late have been answered while spinning, at most maxPatience. Where the
//	           thread is on the same core, or has just been woken and may be, the spinner yields the core to it.
//	Gosched    instead of spinning, if others are queued before it: they are callers too, and want to be heard
//	           before the thread can answer all of them in one go.
//	block      until the thread sends a token. At once, if the thread needs a P in order to run.
const (
	callerHot   = 24 // spins without a look at the clock
	callerSpins = 50 // spins between two looks
	minPatience = 5 * time.Microsecond
	maxPatience = 100 * time.Microsecond
	turns       = 100                  // of Gosched
	maxTurns    = 5 * time.Millisecond // half a time slice: the others are not callers, they compute
	unknown     = -1
)

// A line is what callers and thread tell each other about their waiting. Nothing depends on it being right.
type line struct {
	patience atomic.Int64 // how long a caller spins, a time.Duration
	thread   atomic.Int32 // the core that the thread is on, or unknown
	caller   atomic.Int32 // the core that the last caller was on that had to wait, or unknown
}

func (l *line) init() {
	l.patience.Store(int64(maxPatience))
	l.thread.Store(unknown)
	l.caller.Store(unknown)
}

func (l *line) calledFrom(cpu int) {
	if l.caller.Load() != int32(cpu) {
		l.caller.Store(int32(cpu))
	}
}

// together tells whether caller and thread are on one core.
func (l *line) together() bool {
	cpu := l.thread.Load()
	return cpu != unknown && cpu == l.caller.Load()
}

// await waits for the outcome of c, or for ctx in order to withdraw it. self is the thread that the caller is on, if any.
//
//threadcall:noalloc
func (e *Engine) await(ctx context.Context, c *callq.Call, self *Engine, woke, behind bool) callq.Outcome {
	start := park.Now()
	if park.InYoungBubble(start) {
		return block(ctx, c, self, e, nil, !e.bubbled)
	}
	mode := e.mode.Load()
	o := e.line.spin(c, self, start, woke && mode == inScheduler, behind)
	if o == 0 {
		o = block(ctx, c, self, e, nil, !e.bubbled && park.InBubble())
		e.line.blocked(park.Now() - start)
	}
	return o
}

// block waits without spinning for c, which is in the queue of on or in the backlog of pool. latched says how, see
// bubble.go.
//
//threadcall:noalloc
func block(ctx context.Context, c *callq.Call, self, on *Engine, pool *Pool, latched bool) callq.Outcome {
	if on != nil && on.permanent && !on.served.Load() {
		defer on.reportUnserved()() //threadcall:alloc until the main thread is served
	}
	if self != nil {
		return self.waitFor(wait{call: c, on: on, pool: pool}, ctx, latched)
	}
	for c.Park(latched) {
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

// spin waits without sleeping, and returns zero if that did not do.
//
//threadcall:noalloc
func (l *line) spin(c *callq.Call, self *Engine, start time.Duration, asleep, behind bool) callq.Outcome {
	if behind && self == nil { // to a locked goroutine, Gosched is two changes of threads
		for n := 0; n < turns && park.Now()-start < maxTurns; n++ {
			if o := c.Outcome(); o != 0 {
				return o
			}
			runtime.Gosched()
		}
	}
	if behind || asleep || !multicore || runtime.GOMAXPROCS(0) == 1 {
		return c.Outcome()
	}
	patience := time.Duration(l.patience.Load())
	for now := start; now-start <= patience; {
		if o := c.Outcome(); o != 0 {
			return o
		}
		cpu := park.CPU()
		l.calledFrom(cpu)
		if at := l.thread.Load(); park.CanYield && (at == int32(cpu) || at == unknown) && !park.Crowded(now) {
			if !park.Yield() {
				return c.Outcome() // the thread needs the core
			}
			park.Gap(now, park.Now())
		}
		for range callerSpins {
			if o := c.Outcome(); o != 0 {
				if patience < maxPatience {
					l.patience.Store(int64(min(2*patience, maxPatience)))
				}
				return o
			}
			park.Pause()
		}
		next := park.Now()
		if next == now && park.InBubble() {
			return 0 // the clock stands still
		}
		now = next
	}
	return 0
}

// blocked learns from a wait that spinning did not end.
func (l *line) blocked(waited time.Duration) {
	if waited <= maxPatience {
		l.patience.Store(int64(maxPatience)) // it would have
	} else {
		l.patience.Store(int64(max(time.Duration(l.patience.Load())/2, minPatience)))
	}
}
