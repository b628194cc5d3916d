// Package compare has what threadcall is compared with, the designs of an article and a lower
// bound, and measures contenders in rounds. The demo shows the results, and the rig loads them in
// many ways.
package compare

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

// A Subject runs functions on a thread of its own.
type Subject interface {
	Call(f func()) bool // returns after f
	Go(f func()) bool   // need not
}

// MainThread is threadcall's main thread, which must be served by mainthread.Init.
var MainThread Subject = mainthread.Thread()

// A Result is what has been measured. Times are in nanoseconds.
type Result struct {
	Ops  int     // operations measured
	Time float64 // for each operation
	// CPU time of this process for each operation; zero where the system does not report it
	CPU float64
	// of single calls or bursts, in ascending order; nil if none was timed
	Latencies []time.Duration
}

// Quantile returns the latency that so many in a hundred do not exceed, zero without Latencies.
func (r Result) Quantile(percent int) float64 {
	if len(r.Latencies) == 0 {
		return 0
	}
	return float64(r.Latencies[len(r.Latencies)*percent/100])
}

// Mean returns the mean latency, zero without Latencies.
func (r Result) Mean() float64 {
	sum := time.Duration(0)
	for _, l := range r.Latencies {
		sum += l
	}
	return float64(sum) / float64(max(len(r.Latencies), 1))
}

// Measure measures what run does and divides it by the operations that it returns.
func Measure(run func() (ops int)) Result {
	start, cpu := time.Now(), CPUTime()
	n := max(run(), 1)
	wall, cpu := time.Since(start), CPUTime()-cpu
	return Result{Ops: n, Time: float64(wall) / float64(n), CPU: float64(cpu) / float64(n)}
}

// nop is what is called: a call's cost is all that is measured.
func nop() {}

// A Contender is one of several ways to do the same thing, which it does n times.
type Contender func(n int) Result

// Calling is a contender that calls a Subject in a closed loop. It opens it anew for each sample.
func Calling(open func() (s Subject, end func())) Contender {
	return func(n int) Result {
		s, end := open()
		defer end()
		s.Call(nop) // it is served
		return Hot(s, n)
	}
}

// Hot is one goroutine that calls in a closed loop. An operation is a call; Time is the mean. One
// call in 101 is timed.
func Hot(s Subject, n int) Result {
	latencies := make([]time.Duration, 0, n/101+1)
	r := Measure(func() int {
		for left := n; left > 0; left -= 101 {
			for range min(left, 101) - 1 {
				s.Call(nop)
			}
			start := time.Now()
			s.Call(nop)
			latencies = append(latencies, time.Since(start))
		}
		return n
	})
	slices.Sort(latencies)
	r.Latencies = latencies
	return r
}

// Direct is a contender that calls an empty function in place.
func Direct(n int) Result {
	return Measure(func() int {
		for range n {
			direct()
		}
		return n
	})
}

var direct = nop // a variable, so that the call is one

// Bounded is a contender that does what [Bound] does. It is nil where that cannot be done.
func Bounded() Contender {
	if _, ok := Bound(1); !ok {
		return nil
	}
	return func(n int) Result { r, _ := Bound(n); return r }
}

// Rounds measures each contender in each round for the time of a sample, interleaved in an order
// that is drawn anew each time, so that whatever else the machine does affects all of them. Before
// the first round each is tried without being measured. It returns nanoseconds for each operation,
// by contender and round.
func Rounds(contenders []Contender, rounds int, sample time.Duration) [][]float64 {
	series := make([][]float64, len(contenders))
	sizes := make([]int, len(contenders)) // of samples, in operations
	for i, c := range contenders {
		sizes[i] = c.size(sample)
	}
	for range rounds {
		for _, i := range rand.Perm(len(contenders)) {
			series[i] = append(series[i], contenders[i](sizes[i]).Time)
		}
	}
	return series
}

// size returns how many operations take so long.
func (c Contender) size(sample time.Duration) int {
	for n := 1; ; n *= 4 {
		r := c(n)
		if took := r.Time * float64(r.Ops); took >= float64(sample)/8 {
			return max(1, int(float64(sample)/r.Time))
		}
	}
}
