package engine

import (
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/histogram"
	"github.com/threadcall/threadcall/internal/observe"
)

type (
	Owner = observe.Owner
	Slow  = observe.Slow
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

// Stats returns the counts. It changes nothing.
//
//threadcall:noalloc
func (x *target) Stats() (s Stats) {
	now, same := x.now()
	s.Refused, s.Withdrawn, s.Slow = x.Refused.Load(), x.Withdrawn.Load(), x.Slow.Load()
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
			s.Busy += e.Counts.Busy(now)
			s.Running = max(s.Running, e.running(now))
		}
	}
	x.observer.Times(&s.Waits, &s.Runs)
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
	return e.Counts.Words, e.idleState.sleeps, e.idleState.Found
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
	since := time.Duration(e.Counts.At.Load())
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

// Here, Owner, AsksHost and Describe are what package observe asks.
func (e *Engine) Here() *observe.Thread { return &Self().Thread }
func (e *Engine) Owner() *Owner         { return e.of.owner.Value() }

func (e *Engine) AsksHost() bool {
	asks := e.onWake.Load() != nil
	if asks {
		go e.Control(nil) // which calls a function of the host
	}
	return asks
}

func (e *Engine) Describe(s *Slow) (stackID string) {
	s.Name, s.TID = e.threadName(), e.tid.Load()
	return e.stackID()
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
