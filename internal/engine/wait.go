package engine

import (
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
//	doze       until the thread sends a token. At once, if the thread needs a P in order to run.
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

// withdrawn is what await returns for a call that was withdrawn, whose record is no longer the caller's.
const withdrawn callq.Outcome = 1

// await waits for the outcome of c, or for done in order to withdraw it.
//
//threadcall:noalloc
func (e *Engine) await(done <-chan struct{}, c *callq.Call, woke, behind bool) callq.Outcome {
	start := park.Now()
	mode := e.mode.Load()
	o := e.line.spin(c, start, woke && mode == inGo, behind)
	if o == 0 {
		o = doze(done, c, e, nil, woke && mode != inHost)
		e.line.dozed(park.Now() - start)
	}
	return o
}

// doze waits without spinning for c, which is in the queue of on or in the backlog of pool. slept tells that the
// thread was asleep when c was queued, and so not running the caller.
//
//threadcall:noalloc
func doze(done <-chan struct{}, c *callq.Call, on *Engine, pool *Pool, slept bool) callq.Outcome {
	var other *Engine
	if slept {
		other = on
	}
	if self := threads.current(other); self != nil {
		return self.waitFor(wait{c, on, pool, c.Poster}, done)
	}
	for c.Doze() {
		if !sleepOn(c, &done) {
			return withdrawn
		}
	}
	return c.Outcome()
}

// sleepOn waits for the token of c, or for done, and then withdraws c. It is false if that was done; if c has started
// already, done becomes nil.
//
//threadcall:noalloc
func sleepOn(c *callq.Call, done *<-chan struct{}) bool {
	if *done == nil {
		<-c.Token() //threadcall:alloc the runtime's sudog, when its caches are empty
		return true
	}
	select { //threadcall:alloc two of these
	case <-c.Token():
	case <-*done:
		if c.Withdraw() {
			return false
		}
		*done = nil
	}
	return true
}

// spin waits without sleeping, and returns zero if that did not do.
//
//threadcall:noalloc
func (l *line) spin(c *callq.Call, start time.Duration, asleep, behind bool) callq.Outcome {
	if behind && !threads.serves(c.Poster) { // for whom Gosched is a journey
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
	for now := start; now-start <= patience; now = park.Now() {
		if o := c.Outcome(); o != 0 {
			return o
		}
		cpu := park.CPU()
		l.calledFrom(cpu)
		if at := l.thread.Load(); (at == int32(cpu) || at == unknown) && !park.Crowded(now) {
			park.Yield()
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
	}
	return 0
}

// dozed learns from a wait that spinning did not end.
func (l *line) dozed(waited time.Duration) {
	if waited <= maxPatience {
		l.patience.Store(int64(maxPatience)) // it would have
	} else {
		l.patience.Store(int64(max(time.Duration(l.patience.Load())/2, minPatience)))
	}
}
