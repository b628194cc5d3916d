package engine

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
)

// Stats are what is known of the functions of a thread or a pool since they are counted.
type Stats struct {
	Queued, PeakQueued           int
	Calls, Posts                 uint64 // that have begun
	Refused, Withdrawn           uint64 // that did not begin
	Running                      time.Duration
	Waits, Runs                  Histogram
	Parked, Spinning, EventLoops uint64
}

// stats are those of a thread, or of all threads of a pool. Each function is counted by the
// goroutine that queues it in pushed, and by the thread, or by the caller whose call does not
// begin, in counts. So between two functions of a thread the queue only grows, and its peak can be
// found where it begins to run one.
type stats struct {
	announced int64 // Engine.announced when they began

	pushed atomic.Int64
	// one that is not in use, which takes half the time that unusedCalls takes
	spare atomic.Pointer[observedCall]
	_     [64]byte // callers change what is above, the thread what is below

	mu      sync.Mutex
	counts  Stats
	left    int64           // functions that are not queued any more, or never were
	running []*observedCall // those that began first come first
}

// A wakeUps says how a thread found what it was to run. Only the thread changes it.
type wakeUps struct{ parked, spinning int }

//threadcall:noalloc
func (s *stats) begin(v *observedCall) {
	wait := v.since - v.queued
	if (v.since < 0) != (v.queued < 0) { // one of the two clocks is a bubble's
		wait = 0
	}
	s.mu.Lock()
	c := &s.counts
	e := v.on
	if e == nil || !e.stopping { // else v was not queued, and what was is refused
		c.PeakQueued = max(c.PeakQueued, int(s.pushed.Load()-s.left))
	}
	s.left++
	if v.posted {
		c.Posts++
	} else {
		c.Calls++
	}
	c.Waits.add(wait)
	if e != nil {
		r := &e.idleState
		now := wakeUps{r.sleeps, r.found}
		if r.counts {
			c.Parked += uint64(now.parked - r.counted.parked)
			c.Spinning += uint64(now.spinning - r.counted.spinning)
		}
		r.counts, r.counted = true, now
	}
	s.running = append(s.running, v) //threadcall:alloc when more functions run at once than ever
	s.mu.Unlock()
}

//threadcall:noalloc
func (s *stats) end(v *observedCall) {
	now := clock.Now()
	s.mu.Lock()
	s.counts.Runs.add(now - v.since)
	s.running = remove(s.running, v)
	s.mu.Unlock()
}

// remove removes v, which is likely to be the last.
//
//threadcall:noalloc
func remove(list []*observedCall, v *observedCall) []*observedCall {
	last := len(list) - 1
	if list[last] != v {
		i := slices.Index(list, v)
		copy(list[i:], list[i+1:])
	}
	list[last] = nil
	return list[:last]
}

// drop counts a function that does not begin, because it was given up or refused. queued is 1 if
// pushed has counted it, and otherwise 0. The observer may be nil.
func (o *observer) drop(queued int64, gaveUp bool) {
	if o == nil || o.stats == nil {
		return
	}
	s := o.stats
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.PeakQueued = max(s.counts.PeakQueued, int(s.pushed.Load()-s.left))
	s.left += queued
	if gaveUp {
		s.counts.Withdrawn++
	} else {
		s.counts.Refused++
	}
}

// read returns the counts. Closed says that no function begins any more, ended that none runs
// either.
//
//threadcall:noalloc
func (s *stats) read(closed, ended bool) Stats {
	s.mu.Lock()
	now := clock.Now()
	counts := s.counts
	queued := max(0, s.pushed.Load()-s.left)
	if len(s.running) > 0 {
		counts.Running = max(0, now-s.running[0].since)
	}
	s.mu.Unlock()
	counts.PeakQueued = max(counts.PeakQueued, int(queued))
	switch {
	case ended:
		counts.Refused += uint64(queued) // posted functions, of which nothing else has notice
	case !closed:
		counts.Queued = int(queued)
	}
	return counts
}

// Stats returns the counts. The first call begins to count.
//
//threadcall:noalloc
func (o *Owner) Stats() Stats {
	x := o.of
	now := x.observer.Load()
	if now == nil || now.stats == nil {
		now = o.count() //threadcall:alloc once
	}
	counts := now.stats.read(x.first().q.Closed(), isClosed(x.done))
	if x.pool == nil {
		counts.EventLoops = uint64(x.on.announced.Load() - now.stats.announced)
	}
	return counts
}

// count begins to count, unless another goroutine has.
func (o *Owner) count() *observer {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := new(observer)
	if now := o.of.observer.Load(); now != nil {
		if now.stats != nil {
			return now
		}
		*next = *now
	}
	next.stats = &stats{announced: o.of.first().announced.Load()}
	o.of.observer.Store(next)
	return next
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A Histogram counts times. Its buckets divide each power of two nanoseconds from 64 ns on into
// four; the first has what is less, the last what is more.
type Histogram struct {
	Count   uint64
	Sum     time.Duration
	Buckets [Buckets]uint64
}

const (
	// Buckets is how many there are.
	Buckets = 1 + 4*(lastOctave-firstOctave) + 1

	firstOctave = 6  // 64 ns
	lastOctave  = 36 // 69 s
)

// bucketOf returns the bucket of a time.
//
//threadcall:noalloc
func bucketOf(d time.Duration) int {
	octave := bits.Len64(uint64(max(d, 0))) - 1
	switch {
	case octave < firstOctave:
		return 0
	case octave >= lastOctave:
		return Buckets - 1
	}
	return 1 + 4*(octave-firstOctave) + int(d>>(octave-2))&3
}

// Bound returns the least time of bucket i, and for i = Buckets the greatest that there is.
//
//threadcall:noalloc
func Bound(i int) time.Duration {
	switch {
	case i <= 0:
		return 0
	case i >= Buckets:
		return math.MaxInt64
	}
	octave, quarter := firstOctave+(i-1)/4, (i-1)%4
	return time.Duration(4+quarter) << (octave - 2)
}

//threadcall:noalloc
func (h *Histogram) add(d time.Duration) {
	d = max(d, 0)
	h.Count++
	h.Sum += d
	h.Buckets[bucketOf(d)]++
}
