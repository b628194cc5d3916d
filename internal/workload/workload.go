// Package workload loads a thread in the ways that programs do and measures what that costs.
package workload

import (
	"slices"
	"time"
)

// A Subject runs functions on a thread of its own.
type Subject interface {
	Call(f func()) bool // returns after f
	Go(f func()) bool   // need not
}

// A Pattern is one way to load a Subject.
type Pattern func(s Subject, x Extent) Result

// An Extent says for how long: for N operations or, if N is zero, for about D. There is always at least one operation.
type Extent struct {
	N int
	D time.Duration
}

// A Result is what a Pattern has measured. Times are in nanoseconds.
type Result struct {
	Ops       int             // operations measured
	Time      float64         // for each operation
	CPU       float64         // the time that this process computed for each operation; zero where nobody can tell
	Latencies []time.Duration // of single operations, in ascending order; nil if they are too short to be timed
	Lost      float64         // the share of its computing that Busy lost to the calls; may be negative by chance
}

// P99 returns the latency that one operation in a hundred exceeds, zero without Latencies.
func (r Result) P99() float64 { return r.quantile(99) }

func (r Result) quantile(percent int) float64 {
	if len(r.Latencies) == 0 {
		return 0
	}
	return float64(r.Latencies[len(r.Latencies)*percent/100])
}

// batches calls run for at most size operations at a time until x is reached. It returns how many there were.
func (x Extent) batches(size int, run func(n int)) (ops int) {
	start := time.Now()
	for ops == 0 || ops < x.N || x.N == 0 && time.Since(start) < x.D {
		n := size
		if x.N > 0 {
			n = min(size, x.N-ops)
		}
		run(n)
		ops += n
	}
	return ops
}

// mean measures what run does and divides it by the operations that run counts.
func mean(run func() (ops int)) Result {
	start, cpu := time.Now(), CPUTime()
	n := run()
	wall, cpu := time.Since(start), CPUTime()-cpu
	return Result{Ops: n, Time: float64(wall) / float64(n), CPU: float64(cpu) / float64(n)}
}

// median measures single operations, with a silence before each. Its Time is their median.
func median(x Extent, silence time.Duration, op func()) Result {
	latencies := make([]time.Duration, 0, x.N)
	r := mean(func() int {
		return x.batches(1, func(int) {
			time.Sleep(silence)
			start := time.Now()
			op()
			latencies = append(latencies, time.Since(start))
		})
	})
	slices.Sort(latencies)
	r.Latencies = latencies
	r.Time = r.quantile(50)
	return r
}

// nop is what is called: a call's cost is all that is measured.
func nop() {}
