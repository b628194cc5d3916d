package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/histogram"
	"github.com/threadcall/threadcall/internal/list"
)

// Stats are what is known of the functions of a thread or a pool since they are counted.
type Stats struct {
	Queued, PeakQueued           int
	Goexits                      uint64 // since the thread began
	Calls, Posts                 uint64 // that have begun
	Refused, Withdrawn           uint64 // that did not begin
	Running                      time.Duration
	Waits, Runs                  histogram.Times
	Parked, Spinning, EventLoops uint64
}

// An observer is what the functions of a thread, or of all threads of a pool, report to: it counts
// them, and watches those that are to be watched, see observe_slow.go. A target has one from the
// first call of Stats or of Watch on.
//
// The goroutine that queues a function counts it in pushed. The thread, or the caller of a call
// that does not begin, counts it in counts. So between two functions of a thread the queue only
// grows, and its peak can be found where it begins to run one.
//
// Functions that were queued before counting began report nothing. Until they have gone, which is
// when one that is counted has begun and the queue has no others, the length of the queue is looked
// up. A function that was begun before has run since it was first seen, at least.
type observer struct {
	of        *target
	announced int64 // Engine.announced when counting began; guarded by mu, as the following
	before    int   // functions that were queued then and may still be

	pushed   atomic.Int64
	counting atomic.Bool // Stats has been called
	watches  atomic.Bool // Watch has been
	_        [64]byte    // callers change what is above, the thread what is below

	// mu is held while a stack is taken: a function that would return meanwhile waits, so the stack is
	// its own.
	mu      sync.Mutex
	counts  Stats
	left    int64                    // functions that are not queued any more, or never were
	running list.List[*observedCall] // those that began first come first
	slow    watch
}

// observe returns the observer of x, from now on at the latest.
func (x *target) observe() *observer {
	if x.observer.Load() == nil {
		o := &observer{of: x}
		o.slow.reported = longAgo
		x.observer.CompareAndSwap(nil, o)
	}
	return x.observer.Load()
}

// A wakeUps says how a thread found what it was to run. Only the thread changes it.
type wakeUps struct{ parked, spinning int }

// begin is called on the thread when v begins to run.
//
//threadcall:noalloc
func (o *observer) begin(v *observedCall) {
	o.mu.Lock()
	if v.counted {
		o.count(v)
	}
	v.node.Remove()
	o.running.Append(&v.node)
	o.watchBegun(v)
	o.mu.Unlock()
}

//threadcall:noalloc
func (o *observer) count(v *observedCall) {
	wait := v.since - v.queued
	if (v.since < 0) != (v.queued < 0) { // one of the two clocks is a bubble's
		wait = 0
	}
	c := &o.counts
	e := v.on
	if e == nil || !e.stopping { // else v was not queued, and what was is refused
		c.PeakQueued = max(c.PeakQueued, int(o.pushed.Load()-o.left))
	}
	o.left++
	if v.posted {
		c.Posts++
	} else {
		c.Calls++
	}
	c.Waits.Add(wait)
	if e != nil {
		r := &e.idleState
		now := wakeUps{r.sleeps, r.found}
		if r.counts {
			c.Parked += uint64(now.parked - r.counted.parked)
			c.Spinning += uint64(now.spinning - r.counted.spinning)
		}
		r.counts, r.counted = true, now
	}
}

// end is called on the thread when v has run.
//
//threadcall:noalloc
func (o *observer) end(v *observedCall) {
	now := clock.Now()
	o.mu.Lock()
	if v.counted {
		o.counts.Runs.Add(now - v.since)
	}
	v.node.Remove()
	o.mu.Unlock()
}

// drop counts a function that does not begin, because it was given up or refused: v, or one that
// has never come to be queued if that is nil. The observer may be nil.
func (o *observer) drop(v *observedCall, gaveUp bool) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if v != nil {
		v.node.Remove()
	}
	if !o.counting.Load() || v != nil && !v.counted {
		return
	}
	o.counts.PeakQueued = max(o.counts.PeakQueued, int(o.pushed.Load()-o.left))
	if v != nil {
		o.left++
	}
	if gaveUp {
		o.counts.Withdrawn++
	} else {
		o.counts.Refused++
	}
}

// Stats returns the counts. The first call begins to count.
//
//threadcall:noalloc
func (o *Owner) Stats() Stats {
	x := o.of
	all := x.observe() //threadcall:alloc once
	phase := x.phase.Load()
	announced := x.first().announced.Load()
	all.mu.Lock()
	if !all.counting.Load() {
		all.announced = announced
		all.counting.Store(true)
		all.before = x.length()
	}
	counts := all.counts
	queued, uncounted := all.queued()
	counts.PeakQueued = all.counts.PeakQueued
	workers := []*Engine{x.on}
	if x.pool != nil {
		workers = x.pool.workers
	}
	for _, e := range workers {
		runs, _ := all.ofThread(e)
		counts.Running = max(counts.Running, runs)
		counts.Goexits += uint64(e.exits.Load())
	}
	if x.pool == nil {
		counts.EventLoops = uint64(announced - all.announced)
	}
	all.mu.Unlock()
	switch {
	case phase == over:
		counts.Refused += uint64(queued) // posted functions, of which nothing else has notice
	case phase < closed:
		counts.Queued = queued + uncounted
	}
	return counts
}

// queued returns how many functions are queued that are counted, and how many others. o.mu is held.
//
//threadcall:noalloc
func (o *observer) queued() (counted, others int) {
	counted = max(0, int(o.pushed.Load()-o.left))
	if o.before > 0 {
		others = min(max(0, o.of.length()-counted), o.before)
		if others == 0 && o.counts.Waits.Count > 0 {
			o.before = 0
		}
	}
	o.counts.PeakQueued = max(o.counts.PeakQueued, counted+others)
	return counted, others
}

// length returns how many functions are queued or wait for a place in the queue.
//
//threadcall:noalloc
func (x *target) length() (n int) {
	if x.limit != nil {
		n = int(x.limit.waiting.Load())
	}
	if x.pool != nil {
		return n + x.pool.Queued()
	}
	return n + x.on.Queued()
}

// ofThread returns how long the outermost function on e has run, 0 if none runs. For one that began
// before functions were observed, it is the time since it was first found to run, so it has run
// for longer. o.mu is held.
//
//threadcall:noalloc
func (o *observer) ofThread(e *Engine) (d time.Duration, longer bool) {
	now := clock.Now()
	for n := o.running.First; n != nil; n = n.After {
		if v := n.Value; v.on == e {
			return max(1, o.elapsed(now, v)), false
		}
	}
	begun, runs := e.working()
	if s := &e.found; !runs {
		*s = foundRunning{}
		return 0, false
	} else if s.since == 0 || s.begun != begun || (s.since < 0) != (now < 0) {
		*s = foundRunning{now, begun}
	}
	return max(1, now-e.found.since), true
}

// foundRunning says since when a function that is not observed is known to run, and which.
type foundRunning struct {
	since time.Duration // zero if none is
	begun uint32        // idleState.begun
}

// working reports whether the thread runs a function, as far as another goroutine can tell without
// a cost for the thread, which writes these words, each with one store, and does not synchronise. A
// thread that waits for functions in the middle of one, in Wait or ServeContext, does not work: it
// rests, and has no event loop unless it is adopted.
//
//threadcall:noalloc
//go:norace
func (e *Engine) working() (begun uint32, ok bool) {
	r := &e.idleState
	begun, ok = r.begun, r.inside > 0
	waits := e.q.Resting() && !e.q.Pending() && (e.mode.Load() == inScheduler || !e.own)
	return begun, ok && !waits
}

// elapsed returns how long v has run, or zero to a caller whose clock is another.
func (o *observer) elapsed(now time.Duration, v *observedCall) time.Duration {
	if o.of.Bubbled() != clock.InBubble() {
		return 0
	}
	return max(0, now-v.since)
}

//threadcall:noalloc
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
