package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/histogram"
	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/observe"
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
	measured *[2]histogram.Times      // waits and runs; nil until times are measured
	running  list.List[*observedCall] // those that began first, or again, come first
	slow     watch
}

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
		o.measured = new([2]histogram.Times)
	}
	x.observe(measures, on)
}

// begin is called on the thread when v begins to run.
//
//threadcall:noalloc
func (o *observer) begin(v *observedCall) {
	now := clock.Now()
	v.outer, v.on.observed = v.on.observed, v
	v.on.counts.At.Store(int64(now))
	o.mu.Lock()
	if v.timed {
		wait := now - v.queued
		if (now < 0) != (v.queued < 0) { // one of the two clocks is a bubble's
			wait = 0
		}
		o.measured[0].Add(wait)
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
		o.measured[1].Add(now - v.since)
	}
	o.mu.Unlock()
}

// A tally counts functions that did not begin, and reports of slow ones.
type tally struct{ refused, withdrawn, slow atomic.Uint64 }

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
	s.Refused, s.Withdrawn, s.Slow = x.refused.Load(), x.withdrawn.Load(), x.slow.Load()
	for _, e := range x.Workers() {
		w, parked, spinning := e.read()
		s.Left += uint64(w.Calls) + uint64(w.Posts) + uint64(w.Dropped)
		s.Calls += uint64(w.Calls)
		s.Posts += uint64(max(w.Posts, w.Skipped) - w.Skipped) // Skipped may have been read later
		s.Returned += uint64(w.Returned)
		s.Panicked += uint64(w.Panicked)
		s.Goexits += uint64(e.exits.Load())
		s.Parked += uint64(parked)
		s.Spinning += uint64(spinning)
		s.EventLoops += uint64(e.announced.Load())
		if same {
			s.Busy += e.counts.Busy(now)
			s.Running = max(s.Running, e.running(now))
		}
	}
	o := x.observer
	o.mu.Lock()
	if m := o.measured; m != nil {
		s.Waits, s.Runs = m[0], m[1]
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

// read returns the words, and how often the thread was woken, and found what it was to run by
// itself. It does not synchronise with the thread, for which that would have a cost.
//
//threadcall:noalloc
//go:norace
func (e *Engine) read() (w observe.Words, parked, spinning int) {
	return e.counts.Words, e.idleState.sleeps, e.idleState.Found
}

// begun reports whether a function has begun in the innermost loop and has not ended.
//
//threadcall:noalloc
func (e *Engine) begun() bool {
	w, _, _ := e.read()
	return int(w.Inside()-w.Enclosing) > 0 // negative if one has ended while the words were read
}

// running returns how long the innermost function on the thread has run, or zero if none runs: if
// the thread waits for functions in a loop inside of it. While a native loop has the thread, a
// function runs only if it keeps the loop from what has been announced.
//
//threadcall:noalloc
func (e *Engine) running(now time.Duration) time.Duration {
	since := time.Duration(e.counts.At.Load())
	if !e.begun() {
		return 0
	}
	if e.onWake.Load() != nil {
		if e.q.Resting() {
			return 0
		}
		since = max(since, time.Duration(e.announcedAt.Load()))
	}
	return max(1, now-since)
}

// now returns the time of the clock of x, or false to a caller whose clock is another.
//
//threadcall:noalloc
func (x *target) now() (now time.Duration, ok bool) {
	return clock.Now(), x.Bubbled() == clock.InBubble()
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
