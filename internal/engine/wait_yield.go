package engine

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/sched"
)

// A yieldState says whether a caller or poster of a thread is to yield, because thread and callers
// have kept their Ps for long without entering the Go scheduler. A pool has one for all its
// threads.
//
//	kind         a caller that has its outcome, or a poster
//	0            goes on
//	yieldOwn     lets the scheduler run what waits for its P: goroutines, timers and the network
//	yieldAll     lets it also take what waits for other Ps, such as the thread's: what functions have
//	             made ready, and timers of goroutines that have run there before
//	yieldThread  goes on: the thread yields
//
//	from      to           by        in
//	own, all  yieldOwn,    thread    tick, when neither side has parked for yieldAfter, or
//	or 0      yieldAll               yieldPosts, and no P is free; yieldAll when no caller has
//	                                 yielded for all Ps for yieldAllAfter
//	own, all  0            a caller  yield; the others go on
//	own, all  yieldThread  a caller  yield, on a thread: it yields its own P, which goes to another
//	                                 thread of the system meanwhile
//	any       0            a caller  await, when it has parked
//	any       0            thread    tick, and yields: it was yieldThread, or no caller or poster
//	                                 has yielded for unheardFor
//	any       0            thread    park, Serve and Wait: its callers wait as well
//
// Goroutines that the thread makes ready, such as callers that were parked, wait in the queue of
// its own P. If any goroutine waits for a P after askAfter, the thread yields, see letRun.
type yieldState struct{ kind atomic.Uint32 }

const (
	yieldOwn = 1 + iota
	yieldAll
	yieldThread
)

const (
	// A yield takes 1 µs. With half, 15 µs of work and a call take 5.5 times as long in the median,
	// with twice, others are late by twice as much.
	yieldAfter    = 50 * time.Microsecond
	yieldPosts    = 8 * yieldAfter  // while only posts come; else one each 2 µs takes twice as long
	yieldAllAfter = 6 * yieldAfter  // 5 to 30 µs; with twice, others are late by 3.2 times as much
	askAfter      = 2 * yieldAfter  // with three times as much, late by 0.15 ms, not 0.1
	quickYield    = yieldAfter / 50 // nothing else was ready to run; half and twice do as well
)

// yield is called when kind was not zero. self is the thread that the caller is on, if any.
//
//threadcall:noalloc
func (e *Engine) yield(self *Engine) {
	kind, next := e.yields.kind.Load(), uint32(0)
	if kind == 0 || kind == yieldThread {
		return
	}
	start, outside := clock.Outside()
	if outside && self != nil {
		next = yieldThread
	}
	if !e.yields.kind.CompareAndSwap(kind, next) || !outside {
		return
	}
	end := start
	if self == nil {
		runtime.Gosched()
		end = clock.Now()
	}
	if end-start < quickYield {
		if !sched.Reschedule(kind == yieldAll && self == nil) && self != nil {
			runtime.Gosched()
		}
		end = clock.Now()
	}
	e.waits.Away(start, end)
}

// endYields is called before the thread waits. Its callers wait as well then, so no call would
// reset kind or end a pass.
//
//threadcall:noalloc
func (e *Engine) endYields() {
	sched.EndPass()
	if e.yields.kind.Load() != 0 {
		e.yields.kind.Store(0)
	}
}
