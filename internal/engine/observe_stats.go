package engine

import (
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/histogram"
	"github.com/threadcall/threadcall/internal/list"
)

// Stats are what is known of the functions of a thread or a pool since it was made.
type Stats struct {
	Threads, Queued              int    // Threads is of a name, see States
	Goexits                      uint64 // since the thread of the operating system began
	Left                         uint64 // the queue, and were run or dropped
	Calls, Posts                 uint64 // that have begun
	Returned, Panicked           uint64 // of these
	Refused, Withdrawn           uint64 // that did not begin
	Slow                         uint64 // reports of Watch
	Running, Busy                time.Duration
	Waits, Runs                  histogram.Times
	Parked, Spinning, EventLoops uint64
}

// An observer is what the functions of a thread, or of all threads of a pool, report to: it
// measures their times, and watches those that are to be watched, see observe_slow.go. Functions
// that are queued while neither is asked for report nothing.
type observer struct {
	of *target

	// mu is held while a stack is taken: a function that would return meanwhile waits, so the stack is
	// its own.
	mu       sync.Mutex
	measured *histograms              // nil until times are measured
	running  list.List[*observedCall] // those that began first, or again, come first
	slow     watch
}

type histograms struct{ waits, runs histogram.Times }

const (
	measures = 1 << iota // of target.observes: Measure has asked for times,
	watches              // Watch for reports
)

// observe has the functions of x that are queued from now on observed, or not any more.
func (x *target) observe(what uint32, on bool) {
	if on {
		x.observes.Or(what)
	} else {
		x.observes.And(^what)
	}
}

// Measure has the times of functions measured, or not any more, of those that are queued from now
// on.
func (x *target) Measure(on bool) {
	o := x.observer
	o.mu.Lock()
	defer o.mu.Unlock()
	if on && o.measured == nil {
		o.measured = new(histograms)
	}
	x.observe(measures, on)
}

// begin is called on the thread when v begins to run.
//
//threadcall:noalloc
func (o *observer) begin(v *observedCall) {
	now := clock.Now()
	v.outer, v.on.observed = v.on.observed, v
	v.on.counts.at.Store(int64(now))
	o.mu.Lock()
	if v.timed {
		wait := now - v.queued
		if (now < 0) != (v.queued < 0) { // one of the two clocks is a bubble's
			wait = 0
		}
		o.measured.waits.Add(wait)
	}
	o.slow.stalled = false
	o.runs(v, now)
	o.mu.Unlock()
}

// end is called on the thread when v has run.
//
//threadcall:noalloc
func (o *observer) end(v *observedCall) {
	v.on.observed = v.outer
	now := clock.Now()
	o.mu.Lock()
	if v.node.Remove() && v.timed { // else a loop has the rest of its time
		o.measured.runs.Add(now - v.since)
	}
	o.mu.Unlock()
}

// Refused counts a function that was refused.
func (x *target) Refused() {
	x.refused.Add(1)
	x.named.refused.Add(1)
}

// withdrew counts a function whose context was done before it could begin.
func (x *target) withdrew() {
	x.withdrawn.Add(1)
	x.named.withdrawn.Add(1)
}

// Stats returns the counts. It changes nothing.
//
//threadcall:noalloc
func (x *target) Stats() (s Stats) {
	now, same := x.now()
	s.Refused, s.Withdrawn, s.Slow = x.refused.Load(), x.withdrawn.Load(), x.reports.Load()
	for _, e := range x.Workers() {
		w, parked, spinning := e.read()
		s.Left += uint64(w.calls) + uint64(w.posts) + uint64(w.dropped)
		s.Calls += uint64(w.calls)
		s.Posts += uint64(max(w.posts, w.skipped) - w.skipped) // skipped may have been read later
		s.Returned += uint64(w.returned)
		s.Panicked += uint64(w.panicked)
		s.Goexits += uint64(e.exits.Load())
		s.Parked += uint64(parked)
		s.Spinning += uint64(spinning)
		s.EventLoops += uint64(e.announced.Load())
		if same {
			s.Busy += e.counts.busy(now)
			s.Running = max(s.Running, e.running(now))
		}
	}
	o := x.observer
	o.mu.Lock()
	if m := o.measured; m != nil {
		s.Waits, s.Runs = m.waits, m.runs
	}
	o.mu.Unlock()
	if x.phase.Load() < closed { // after Left, see package recorderhttp
		s.Queued = x.Queued()
		if x.limit != nil {
			s.Queued += int(x.limit.waiting.Load())
		}
	}
	return s
}

// Queued returns how many functions are queued.
//
//threadcall:noalloc
func (x *target) Queued() int {
	if p := x.pool; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.backlog.Len
	}
	return x.on.q.Len()
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
