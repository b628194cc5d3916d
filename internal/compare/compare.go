// Package compare has what threadcall is compared with, the designs of an article and a lower
// bound, and measures contenders in rounds. The demo shows the results, and the rig loads them in
// many ways.
package compare

import (
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

// A Subject runs functions on a thread of its own.
type Subject interface {
	Call(f func()) bool // returns after f
	Go(f func()) bool   // need not
}

// MainThread is threadcall's main thread, which must be served by mainthread.Init.
var MainThread Subject = mainThread{}

type mainThread struct{}

func (mainThread) Call(f func()) bool { return mainthread.Call(f) }
func (mainThread) Go(f func()) bool   { return mainthread.Go(f) }

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
