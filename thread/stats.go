package thread

import (
	"math"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/internal/histogram"
)

// Stats are counts of a [Thread] or a [Pool] since it was made. They are always on, but Waits and
// Runs, which are measured with [WithTimes] or [MeasureTimes] only.
//
// A call costs next to nothing for the counts, a [Loop.Serve] that runs one function 60 to 90 ns.
//
// A function that runs in place, because it is called on the thread itself, is not counted: it is
// part of its caller. The functions of [WithStart] count as one, those of [WithStop] as one each.
type Stats struct {
	// functions that are queued now, including those whose posters wait for a slot (WithQueueLimit):
	// an estimate while the thread takes functions, and exact while it hangs. Functions whose context
	// is done, but for calls to a Thread, are counted until the thread comes to them
	Queued int

	Calls    uint64 // functions of Call, CallContext and what builds on them that have begun
	Posts    uint64 // functions of Go and what builds on it that have begun
	Panicked uint64 // of both, those that have ended by a panic
	// not begun: the thread was terminated or, for TryGo, the queue full
	Refused   uint64
	Withdrawn uint64 // not begun: their context was done before

	// functions that have called [runtime.Goexit] since the thread began. Their frames are on its
	// stack until it ends, and make each garbage collection longer: see Limits in the package comment
	Goexits uint64
	Slow    uint64 // reports of WithSlowCall and OnSlowCall

	// how long the function that runs now has run, of several the longest; or 0. The thread does not
	// look at the clock for each function. So it is the time since the thread was woken, or has last
	// looked: as a rule 10 µs too much, at the most the time of 63 functions before
	Running time.Duration
	// how long the thread, or all of a pool, has had something to do; its rate is the load
	Busy    time.Duration
	Waits   Histogram // from the call to the start of its function
	Runs    Histogram // from the start of the function to its end
	Wakeups Wakeups
}

// Wakeups are how often an idle thread was woken, and how.
type Wakeups struct {
	Parked    uint64 // it waited in the Go scheduler: a wake-up takes microseconds
	Spinning  uint64 // it was still polling its queue: some hundred nanoseconds
	EventLoop uint64 // calls of the function that was given to [Loop.OnWake]
}

// Stats returns the counts. It changes nothing, and may be called after the end of the thread, too.
//
// # Cost
//
// Stats neither allocates nor stops the thread. It takes some nanoseconds for each queued function.
//
// # Moments and differences
//
// While the thread runs, the counts are of slightly different moments; none goes back, but Busy may
// by microseconds. Between two Stats s and t, t.Calls-s.Calls calls began, and t.Waits.Sub(s.Waits)
// has their waits. On 32-bit systems Calls, Posts and Panicked wrap around after 2^32.
//
// # What is no running function
//
// Wait, Serve, ServeContext and a native loop that a function calls are no running function: while
// the thread waits there, Running is zero and Busy does not grow. On a Loop with OnWake that does
// not call Wait, each function may be in a native loop: Running counts from when another is queued.
// Functions that were queued before their times were measured are not in Waits and Runs. A function
// whose caller is in a bubble of testing/synctest, and whose thread is outside, has no wait, as the
// two have different clocks; and Running and Busy are zero for a caller on the other clock.
//
//threadcall:noalloc
func (t *Thread) Stats() Stats {
	return kept(statsOf(t.e.Stats()), t)
}

// Stats returns the counts of all threads together. See [Thread.Stats].
//
//threadcall:noalloc
func (p *Pool) Stats() Stats {
	return kept(statsOf(p.p.Stats()), p)
}

// MeasureTimes has the times of all threads and pools measured, of later ones, too, as [WithTimes]
// does. False ends that, but for those that have the option.
func MeasureTimes(on bool) { engine.MeasureTimes(on) }

func statsOf(s engine.Stats) Stats {
	return Stats{
		Queued: s.Queued, Calls: s.Calls, Posts: s.Posts, Panicked: s.Panicked, Refused: s.Refused,
		Withdrawn: s.Withdrawn, Goexits: s.Goexits, Slow: s.Slow, Running: s.Running, Busy: s.Busy,
		Waits: Histogram(s.Waits), Runs: Histogram(s.Runs),
		Wakeups: Wakeups{s.Parked, s.Spinning, s.EventLoops},
	}
}

// A Histogram counts times in buckets. The first bucket is for times below 100 ns, the last for
// times from 100 s on; between them each power of ten is divided into ten. All Histograms have the
// same buckets, and so can be added up.
type Histogram struct {
	Count   uint64        // of the times
	Sum     time.Duration // of the times
	Buckets [92]uint64
}

// HistogramBound returns where bucket i of each [Histogram] begins, and the one before it ends:
// Buckets[i] counts the times d with HistogramBound(i) <= d < HistogramBound(i+1). For an i of zero
// or less it is zero. Where the last bucket ends, and for a greater i, it is the greatest Duration.
func HistogramBound(i int) time.Duration { return histogram.Bound(i) }

// Quantile returns a time that the share q of the times does not exceed: the median for 0.5. It is
// interpolated within its bucket: the error is less than a quarter of the time, or 100 ns. In the
// last bucket it is 100 s. A q below 0 counts as 0, one above 1 as 1. Quantile returns zero if h is
// empty or q is not a number.
func (h Histogram) Quantile(q float64) time.Duration {
	n := 0.0
	for _, c := range h.Buckets {
		n += float64(c)
	}
	if n == 0 || math.IsNaN(q) {
		return 0
	}
	rank, last := min(max(q, 0), 1)*n, len(h.Buckets)-1
	for i, n := range h.Buckets[:last] {
		c := float64(n)
		if c > 0 && rank <= c {
			low, high := HistogramBound(i), HistogramBound(i+1)
			return low + time.Duration(rank/c*float64(high-low))
		}
		rank -= c
	}
	return HistogramBound(last)
}

// Sub returns h without the times of earlier, an earlier state of the same Histogram.
func (h Histogram) Sub(earlier Histogram) Histogram {
	h.Count -= earlier.Count
	h.Sum -= earlier.Sum
	for i := range h.Buckets {
		h.Buckets[i] -= earlier.Buckets[i]
	}
	return h
}
