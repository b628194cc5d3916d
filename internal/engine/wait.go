package engine

import (
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
//	parked    <= 0  <= 0   parks when its queue is    parks; if offer   parks
//	                       empty, or is in its        is runLast, other
//	                       host's event loop          goroutines run
//	                                                  before the thread
//	offered   <= 0  > 0    is parked, but wants to    looks for offer,  parks
//	                       spin                       then parks
//	spinning  any   0      has a spinSlot: looks at   -                 does as the thread
//	                       its queue, or runs                           advises, see advise:
//	                                                                    looks for spin, if that
//	                                                                    is positive, or parks
//
//	from     to        in             when
//	parked   offered   park           before the thread parks: spinning pays, and a slot is free, and
//	                                  cores for all threads that would spin
//	offered  offered   park           woken: the offer is for the next caller that wakes the thread
//	any      spinning  startSpinning  as in the first row; the queue is empty, and no lone caller
//	                                  was parked
//	any      parked    stopSpinning   nothing came for spinPolicy.lookFor, a lone caller was parked,
//	                                  only posts come, the slot is lost, or the thread stops serving:
//	                                  when ServeContext returns, or for ever
//
// Each of these waits is bounded, so a caller may act on a state that is out of date. A caller is
// an ordinary goroutine and waits
//
//	looking  at its record, if the thread offers to spin, or spins and advises that. If it offers,
//	         the thread may have been woken on the caller's core, so the caller yields that, but not
//	         on a crowded machine
//	Gosched  instead, with at most two Ps, if others are queued before it or the thread does not
//	         advise to look: it is about to answer. With more Ps, callers would fight for the
//	         scheduler's lock
//	parked   until the thread sends a token; at once behind others if the thread runs last
//
// While other goroutines wait for the Ps, a thread that has several callers runs last: the one that
// wakes it puts it behind those that are queued for its P. So more of them queue calls, which the
// thread answers at once, and after its answer no caller runs before the others again and again.
//
// Two sides that spin hold two Ps, perhaps all there are. So the thread, which reads the clock,
// tells callers and posters when to let the Go scheduler run what waits for a P, see yieldState.
const (
	// How long a caller looks for a thread that it has woken, at most: cores sleep. Half and twice
	// change no load on both threads.
	meetFor = memory * firstPrice

	// A spinning side that does not run for this long has lost its core to another process or its P to
	// another goroutine. Otherwise it looks every two microseconds. With half and twice, crowded
	// frames take 1.6 to 1.8 times as long.
	coreLost = 500 * time.Microsecond
)

// A waitState is what callers and thread know about each other's waits. It may be out of date.
type waitState struct {
	// how long a caller looks, a time.Duration; zero unless the thread spins, and parkAtOnce if
	// functions take so long that callers park
	spin     atomic.Int64
	offer    atomic.Int64 // what the caller does that wakes the thread: zero, meets or runLast
	price    atomic.Int64 // of parking, a time.Duration
	pushed   atomic.Int64 // when the thread was last woken
	returned atomic.Int64 // when a caller that was parked has last run again
	lost     atomic.Int64 // for how long sides that spin have not run, a time.Duration
	timed    atomic.Bool  // callers are to set pushed and returned
	parks    bool         // nothing spins for this thread; does not change once it has started
}

const (
	parkAtOnce = -1 // a spin

	meets   = 1
	runLast = -1
)

func (l *waitState) init() {
	l.price.Store(int64(firstPrice))
	l.parks = neverSpins
}

// setSpin sets spin, if that changes it: or callers would have to read it again.
//
//threadcall:noalloc
func (l *waitState) setSpin(spin int64) {
	if l.spin.Load() != spin {
		l.spin.Store(spin)
	}
}

// away reports whether a side that looks, and does nothing else, has not run between two readings
// of the clock.
//
//threadcall:noalloc
func (l *waitState) away(before, now time.Duration) bool {
	if now-before < coreLost {
		return false
	}
	l.lost.Add(int64(now - before))
	return true
}

// await waits for the outcome of c, or for cancel in order to withdraw it. self is the thread that
// the caller is on, if any.
//
//threadcall:noalloc
func (e *Engine) await(
	cancel <-chan struct{}, c *callq.Call, self *Engine, woke, behind bool,
) callq.Outcome {
	if o := e.waits.wait(c, self, woke, behind); o != 0 {
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
	if !e.waits.timed.Load() {
		return o
	}
	if now, ok := clock.Outside(); ok {
		e.waits.returned.Store(int64(now))
	}
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

// wait waits without parking, and returns zero if c has no outcome then.
//
//threadcall:noalloc
func (l *waitState) wait(c *callq.Call, self *Engine, woke, behind bool) callq.Outcome {
	if woke {
		return l.meet(c, l.offer.Load())
	}
	limit := time.Duration(l.spin.Load())
	turns := spinners.turns()
	switch {
	case limit == parkAtOnce || l.parks || behind && turns && l.offer.Load() == runLast:
	case limit > 0 && !(behind && turns):
		return l.look(c, clock.Now(), limit, false)
	case turns && self == nil: // to a locked goroutine, Gosched is two changes of threads
		takeTurns(c, time.Duration(l.price.Load()))
	}
	return c.Outcome()
}

// look looks at c until it is settled or limit is over. If yields is true, it yields the core
// between two looks at the clock.
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
		if yields {
			cores.Yield() // the next look at the clock sees how long that took
		}
	}
	return c.Outcome()
}

// meet waits for a thread that the caller has woken to run beside the caller and not in its place.
// Its goroutine is next to run on the caller's P, and another P must take it. But other Ps take
// that one only after 3 µs, or what the kernel makes of that (60 µs on Linux), so an empty
// goroutine replaces it. And the kernel may have woken the system's thread of the other P on the
// caller's core.
//
//threadcall:noalloc
func (l *waitState) meet(c *callq.Call, offer int64) callq.Outcome {
	if offer == runLast {
		go nothing() //threadcall:alloc the runtime's g, when its caches are empty
	}
	if offer <= 0 {
		return 0
	}
	start, ok := clock.Outside()
	if !ok || spinners.free(start) < 0 {
		return 0
	}
	limit, crowded := meetFor, others.crowded()
	if crowded { // no core sleeps, and a yield would give this one to another process for a timeslice
		limit = 3 * time.Duration(l.price.Load())
	}
	go nothing() //threadcall:alloc the runtime's g, when its caches are empty
	o := l.look(c, start, limit, !crowded)
	if o == 0 {
		l.lost.Add(int64(clock.Now() - start))
	}
	return o
}

func nothing() {}

// takeTurns calls Gosched until c is settled, at most for the time that parking would cost.
//
//threadcall:noalloc
func takeTurns(c *callq.Call, price time.Duration) {
	start := clock.Now()
	for now := start; now-start <= price; {
		runtime.Gosched()
		if c.Outcome() != 0 {
			return
		}
		if now = clock.Now(); now == start {
			return // the clock of a bubble stands still
		}
	}
}
