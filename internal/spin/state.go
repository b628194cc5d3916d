// Package spin decides how a thread and its callers wait for each other: in the Go scheduler, or by
// looking at memory again and again. Counts and times go in, from a Thread that notes them for one
// thread; what comes out is in its State, which callers read. The choice is a Policy.
package spin

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
//	state     Spin  Offer  the thread                 a caller that
//	                                                  has woken it      found it up
//	parked    <= 0  <= 0   parks when its queue is    parks; if Offer   parks
//	                       empty, or is in its        is RunLast, other
//	                       host's event loop          goroutines run
//	                                                  before the thread
//	offered   <= 0  > 0    is parked, but wants to    looks for Offer,  parks
//	                       spin                       then parks
//	spinning  any   0      has a Slot: looks at       -                 does as the thread
//	                       its queue, or runs                           advises, see Advise:
//	                                                                    looks for Spin, if that
//	                                                                    is positive, or parks
//
//	from     to        in      when
//	parked   offered   Parks   before the thread parks: spinning pays, and a slot is free, and cores
//	                           for all threads that would spin
//	offered  offered   Woken   the offer is for the next caller that wakes the thread
//	any      spinning  Starts  as in the first row; the queue is empty, and no lone caller was parked
//	any      parked    Stop    nothing came for Policy.LookFor, a lone caller was parked, only posts
//	                           come, the slot is lost, or the thread stops serving: when ServeContext
//	                           returns, or for ever
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
// tells callers and posters when to let the Go scheduler run what waits for a P.
const (
	// How long a caller looks for a thread that it has woken, at most: cores sleep. Half and twice
	// change no load on both threads.
	meetFor = Memory * firstPrice

	// A spinning side that does not run for this long has lost its core to another process or its P to
	// another goroutine. Otherwise it looks every two microseconds. With half and twice, crowded
	// frames take 1.6 to 1.8 times as long.
	CoreLost = 500 * time.Microsecond

	longYield = 3 * time.Microsecond // with the looks after it, which take one
)

// A State is what callers and thread know about each other's waits. It may be out of date.
type State struct {
	// how long a caller looks, a time.Duration; zero unless the thread spins, and ParkAtOnce if
	// functions take so long that callers park
	Spin     atomic.Int64
	Offer    atomic.Int64 // what the caller does that wakes the thread: zero, Meets or RunLast
	Price    atomic.Int64 // of parking, a time.Duration
	Pushed   atomic.Int64 // when the thread was last woken
	Returned atomic.Int64 // when a caller that was parked has last run again
	Lost     atomic.Int64 // for how long sides that spin have not run, a time.Duration
	Timed    atomic.Bool  // callers are to set Pushed and Returned
	Core     atomic.Int32 // which each side has while the thread spins: Own, MayShare or Shares
	Parks    bool         // nothing spins for this thread; does not change once it has started
}

// Core says whether the thread and a lone caller run on one core: the kernel may wake the thread on
// the core of the caller, although others are idle. Then a side that looks keeps the other from
// running, and both would spin in vain, until the kernel moves one of them, after milliseconds.
//
//	state     a side that looks        to        in        when
//	Own       does no more             MayShare  Starts    after an offer to a lone caller; not on a
//	                                                       crowded machine: there a yield takes a
//	                                                       timeslice
//	MayShare  yields its core between  Shares    Yielded   a yield took long
//	          two looks at the clock
//	Shares    yields before it looks   MayShare  Yielded   a call was found after a quick one
//	any                                Own       Starts    otherwise
//	any                                Own       Advise    there are several callers
const (
	Own = iota
	MayShare
	Shares
)

const (
	ParkAtOnce = -1 // a spin

	Meets   = 1
	RunLast = -1
)

// change sets at, Spin or Offer, to v, if that changes it: or callers would have to read it again.
//
//threadcall:noalloc
func change(at *atomic.Int64, v int64) {
	if at.Load() != v {
		at.Store(v)
	}
}

// setCore sets Core, likewise.
//
//threadcall:noalloc
func (l *State) setCore(core int32) {
	if l.Core.Load() != core {
		l.Core.Store(core)
	}
}

// Away reports whether a side that looks, and does nothing else, has not run between two readings
// of the clock.
//
//threadcall:noalloc
func (l *State) Away(before, now time.Duration) bool {
	if now-before < CoreLost {
		return false
	}
	l.Lost.Add(int64(now - before))
	return true
}

// Note sets at, Pushed or Returned, to the time, if the thread has asked for that.
//
//threadcall:noalloc
func (l *State) Note(at *atomic.Int64) {
	if !l.Timed.Load() {
		return
	}
	if now, ok := clock.Outside(); ok {
		at.Store(int64(now))
	}
}

// Wait waits without parking, and returns zero if c has no outcome then. The caller is on a thread
// if locked is true; it had to wake the thread, or found other calls before its own.
//
//threadcall:noalloc
func (l *State) Wait(c *callq.Call, locked, woke, behind bool) callq.Outcome {
	if woke {
		return l.meet(c, l.Offer.Load())
	}
	limit := time.Duration(l.Spin.Load())
	turns := Spinners.turns()
	switch {
	case limit == ParkAtOnce || l.Parks || behind && turns && l.Offer.Load() == RunLast:
	case limit > 0 && !(behind && turns):
		core := l.Core.Load()
		if core == Shares {
			cores.Yield()
		} else if o := l.First(c); o != 0 {
			return o
		}
		return l.look(c, clock.Now(), limit, core != Own)
	case turns && !locked: // to a locked goroutine, Gosched is two changes of threads
		takeTurns(c, time.Duration(l.Price.Load()))
	}
	return c.Outcome()
}

// First looks at c before the clock is read, which takes 40 ns on some machines. It returns zero if
// the thread does not spin, or needs the core of the caller.
//
//threadcall:noalloc
func (l *State) First(c *callq.Call) callq.Outcome {
	if l.Spin.Load() <= 0 || l.Core.Load() == Shares {
		return 0
	}
	for range FirstLooks {
		if o := c.Outcome(); o != 0 {
			return o
		}
		park.Relax()
	}
	return 0
}

// look looks at c until it is settled or limit is over. If yields is true, it yields the core
// between two looks at the clock.
//
//threadcall:noalloc
func (l *State) look(c *callq.Call, start, limit time.Duration, yields bool) callq.Outcome {
	for now := start; now-start < limit; {
		for range Looks {
			if o := c.Outcome(); o != 0 {
				if now != start {
					l.Away(now, clock.Now())
				}
				return o
			}
			park.Relax()
		}
		before := now
		if now = clock.Now(); now == start {
			break // the clock of a bubble stands still
		}
		l.Away(before, now)
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
func (l *State) meet(c *callq.Call, offer int64) callq.Outcome {
	if offer == RunLast {
		go nothing() //threadcall:alloc the runtime's g, when its caches are empty
	}
	if offer <= 0 {
		return 0
	}
	start, ok := clock.Outside()
	if !ok || Spinners.Free(start) < 0 {
		return 0
	}
	limit, crowded := meetFor, Others.crowded()
	if crowded { // no core sleeps, and a yield would give this one to another process for a timeslice
		limit = 3 * time.Duration(l.Price.Load())
	}
	go nothing() //threadcall:alloc the runtime's g, when its caches are empty
	o := l.look(c, start, limit, !crowded)
	if o == 0 {
		l.Lost.Add(int64(clock.Now() - start))
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
