// Package observe has what is known of the functions that threads run: counts, which cost nothing;
// and times, slow calls, traces and profiler labels, of calls that are observed. It calls the
// engine by the interface Runner; what it knows of a thread is a Thread.
package observe

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/histogram"
	"github.com/threadcall/threadcall/internal/list"
)

// A Runner is a thread that runs functions, of a pool or not.
type Runner interface {
	Here() *Thread    // the thread that the caller is on
	Owner() *Owner    // of the thread or its pool, or nil if nothing refers to that
	Terminated() bool // nothing begins there any more

	// AsksHost reports whether what runs there may be a native loop. Then it has queued something: a
	// loop serves that, and so pauses its function for good.
	AsksHost() bool

	// Describe sets Name and TID, and returns what stack.Of is given for the goroutine that serves.
	Describe(s *Slow) (stackID string)
}

// A Thread is what is known of the functions on a thread. Only the thread changes it.
type Thread struct {
	Counts    Counts
	Labels    Labels
	Withdrawn bool  // the posted function that it has last begun did not run
	innermost *Call // that runs and is observed
	runner    Runner
}

// Init is called for a new thread.
func (t *Thread) Init(r Runner) {
	t.runner = r
	t.Labels.own, t.Labels.Now = context.Background(), context.Background()
}

// A Tally counts functions that did not begin, and reports of slow ones.
type Tally struct{ Refused, Withdrawn, Slow atomic.Uint64 }

// An Observer is what the functions of a thread, or of all threads of a pool, report to: it
// measures their times, and watches those that are to be watched, see watch. Functions that are
// queued while neither is asked for report nothing.
type Observer struct {
	Tallies [2]*Tally      // of the thread or the pool, and of all with its name
	what    *atomic.Uint32 // zero unless functions are to report
	first   *Thread        // the thread, or the first of the pool
	bubbled bool           // it was made in a bubble of testing/synctest

	// mu is held while a stack is taken: a function that would return meanwhile waits, so the stack is
	// its own.
	mu       sync.Mutex
	measured *[2]histogram.Times // waits and runs; nil until times are measured
	running  list.List[*Call]    // those that began first, or again, come first
	slow     watch
}

// Init makes o the observer of a thread, or of a pool of which that is the first.
func (o *Observer) Init(first *Thread, what *atomic.Uint32, t *Tally, owner *Owner) {
	o.Tallies[0], o.what, o.first, o.bubbled = t, what, first, clock.InBubble()
	owner.of = o
}

// Refused counts a function that was refused.
func (o *Observer) Refused() {
	o.Tallies[0].Refused.Add(1)
	o.Tallies[1].Refused.Add(1)
}

// Withdrew counts a function whose context was done before it could begin.
func (o *Observer) Withdrew() {
	o.Tallies[0].Withdrawn.Add(1)
	o.Tallies[1].Withdrawn.Add(1)
}

const (
	Measures = 1 << iota // of Observer.what: Measure has asked for times,
	watches              // Watch for reports
)

// observe has the functions that are queued from now on observed, or not any more.
func (o *Observer) observe(what uint32, on bool) {
	if on {
		o.what.Or(what)
	} else {
		o.what.And(^what)
	}
}

// Measure has the times of functions measured, or not any more, of those that are queued from now
// on.
func (o *Observer) Measure(on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if on && o.measured == nil {
		o.measured = new([2]histogram.Times)
	}
	o.observe(Measures, on)
}

// begin is called on the thread when v begins to run.
//
//threadcall:noalloc
func (o *Observer) begin(v *Call) {
	now := clock.Now()
	v.outer, v.on.innermost = v.on.innermost, v
	v.on.Counts.At.Store(int64(now))
	o.mu.Lock()
	if v.what&Measures != 0 {
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
func (o *Observer) end(v *Call) {
	v.on.innermost = v.outer
	now := clock.Now()
	o.mu.Lock()
	if v.node.Remove() && v.what&Measures != 0 { // else a loop has the rest of its time
		o.measured[1].Add(now - v.since)
	}
	o.mu.Unlock()
}

// Times sets waits and runs to the times that were measured, if any were.
//
//threadcall:noalloc
func (o *Observer) Times(waits, runs *histogram.Times) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := o.measured; m != nil {
		*waits, *runs = m[0], m[1]
	}
}

// From returns where the function that runs on t was queued, if that is known.
func (o *Observer) From(t *Thread) []uintptr {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n := o.running.Last; n != nil; n = n.Before {
		if v := n.Value; v.on == t {
			return append([]uintptr(nil), v.from[:v.depth]...)
		}
	}
	return nil
}
