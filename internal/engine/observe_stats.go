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
type observer struct {
	of        *target
	announced int64 // Engine.announced when counting began; guarded by mu

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
	}
	now := clock.Now()
	counts := all.counts
	queued := max(0, all.pushed.Load()-all.left)
	if first := all.running.First; first != nil {
		counts.Running = all.elapsed(now, first.Value)
	}
	if x.pool == nil {
		counts.EventLoops = uint64(announced - all.announced)
	}
	all.mu.Unlock()
	counts.PeakQueued = max(counts.PeakQueued, int(queued))
	switch {
	case phase == over:
		counts.Refused += uint64(queued) // posted functions, of which nothing else has notice
	case phase < closed:
		counts.Queued = int(queued)
	}
	return counts
}

// elapsed returns how long v has run, or zero to a caller whose clock is another.
//
//threadcall:noalloc
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
