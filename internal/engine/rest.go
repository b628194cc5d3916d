package engine

import (
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/park"
)

// This file is the thread's side of waiting; wait.go has the callers', and pace.go says which way of waiting is chosen.
const (
	firstLooks = 25 // at the queue, before the first at the clock
	looks      = 12 // between two at the clock: about a microsecond

	turn      = 10 * time.Millisecond  // the scheduler's time slice
	turnCalls = 16                     // between two looks at the clock
	turnPause = 500 * time.Microsecond // between two calls, on the average: others have run meanwhile
)

// rest is what the thread knows about its waits. Only the thread uses it.
type rest struct {
	pace    pace
	woke    int  // callers that were parked, since the thread last had nothing to do
	offered bool // callers may have waited for the thread to run beside them

	sleeps   int           // how often it was parked
	counted  wakeUps       // what of that the stats know, see stats.go
	counts   bool          // and whether they do
	measures bool          // the clock is read before and after the next wait
	up       time.Duration // when the thread was woken, if that has been measured

	turnBegan, turnSeen time.Duration // see endTurn
	turnCalls           int
}

// idle returns when there may be something to take, or the queue has been closed.
//
//threadcall:noalloc
func (e *Engine) idle() {
	e.q.Awake()
	if e.spin() {
		return
	}
	e.park(e.stopSpinning())
}

// spin looks at the queue, if that pays, and is true if something may have come.
//
//threadcall:noalloc
func (e *Engine) spin() bool {
	r := &e.rest
	p := &r.pace
	woke := r.woke
	r.woke = 0
	if woke == 1 { // a lone caller, which needs a P and may get it from this thread
		if r.offered {
			p.missed(park.Now())
		}
		return false
	}
	var start time.Duration
	if p.spinning {
		for range firstLooks {
			if e.q.Pending() {
				p.calls++
				return true
			}
			park.Relax()
		}
		start = park.Now()
	} else {
		if !p.pays() || e.bubbled {
			return false
		}
		start = park.Now()
		began := start
		if r.offered {
			began = min(began, time.Duration(e.waits.pushed.Load()))
		}
		if !p.begin(start, began) {
			return false
		}
		e.waits.core.Store(int32(park.CPU()))
		e.waits.spin.Store(int64(p.price()))
	}
	for now := start; now-start <= p.price(); now = park.Now() {
		for range looks {
			if e.q.Pending() {
				p.period(now - start)
				p.calls++
				return true
			}
			park.Relax()
		}
		if e.q.Closed() {
			return true
		}
	}
	return false
}

// stopSpinning makes callers park. It returns the time, or zero if the thread did not spin.
//
//threadcall:noalloc
func (e *Engine) stopSpinning() (now time.Duration) {
	if e.rest.pace.spinning {
		now = park.Now()
		e.waits.spin.Store(0)
		e.rest.pace.end(now)
	}
	return now
}

// park waits in the Go scheduler, and measures now and then what decides about spinning. down is the time, if it is known.
//
//threadcall:noalloc
func (e *Engine) park(down time.Duration) {
	r := &e.rest
	p := &r.pace
	r.endTurn()
	if r.measures && down == 0 {
		down = park.Now()
	}
	ran := down - r.up
	offer := time.Duration(0)
	if r.offered = down != 0 && p.pays() && spinners.open(down); r.offered {
		offer = meetPrices * p.price()
	}
	if e.waits.spin.Load() != int64(offer) {
		e.waits.spin.Store(int64(offer))
	}
	e.mode.Store(inScheduler)
	if e.q.Rest() {
		for e.q.Resting() {
			<-e.wakeup //threadcall:alloc the runtime's sudog, when its caches are empty
		}
	}
	e.mode.Store(up)
	if r.measures {
		now := park.Now()
		if pushed := time.Duration(e.waits.pushed.Load()); pushed > down && pushed < now { // else it was not a caller, or in a bubble
			p.wokenAfter(now - pushed)
			if r.up != 0 {
				p.period(ran + pushed - max(down, time.Duration(e.waits.returned.Load())))
			}
			e.waits.price.Store(int64(p.price()))
		}
		r.up = now
	}
	p.wait--
	r.sleeps++
	if m := r.sleeps&14 == 0 || r.sleeps < 2*memory; m != r.measures { // two in succession of each sixteen
		r.measures, r.up = m, 0
		e.waits.measures.Store(m)
	}
}

// endTurn lets the others of the P run if the thread and its callers have had it for long.
//
// Two goroutines that wake each other run before all others of their P, until the time slice that they share ends. But
// if one of them is locked to its thread, each wake-up begins a new slice, and the others never run (seen with one P and
// Go 1.26). So the thread ends its turn by itself, when its caller has been woken and does not wait for that. It does
// so only if calls follow each other closely: where there are pauses, others have run.
//
//threadcall:noalloc
func (r *rest) endTurn() {
	if r.turnCalls++; r.turnCalls < turnCalls {
		return
	}
	r.turnCalls = 0
	now := park.Now()
	if now-r.turnSeen > turnCalls*turnPause {
		r.turnBegan = now
	}
	r.turnSeen = now
	if now-r.turnBegan > turn {
		runtime.Gosched()
		r.turnBegan = park.Now()
		r.turnSeen = r.turnBegan
	}
}
