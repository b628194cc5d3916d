// Package bench loads a thread in the ways that programs do, and has what threadcall is compared
// with: the designs of an article, and lower bounds. Its benchmarks compare them under every load;
// the demo and the lab measure with it as well:
//
//	go test -bench . ./internal/bench     each subject by itself, in the usual form
//	go run ./internal/bench/phases        phases that follow one another in one process
//	make bench                            both; the subjects in rounds, in one table
//
// Only ratios from one run mean much: on a machine with other work, times of the same code minutes
// apart differ by a factor of two and more.
package bench

import (
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
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

// A Load is one way to load a Subject.
type Load func(s Subject, x Extent) Result

// An Extent says for how long: for N operations or, if N is zero, for about D. There is always at
// least one operation.
type Extent struct {
	N int
	D time.Duration
}

// A Result is what a Load has measured. Times are in nanoseconds.
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

// batches calls run for at most size operations at a time until x is reached. It returns how many
// there were.
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

// single times single operations, with something before each that does not count; its argument is
// how many operations there have been. Time is their median. CPU has what comes before as well.
func single(x Extent, before func(i int), op func()) Result {
	latencies := make([]time.Duration, 0, x.N)
	r := mean(func() int {
		return x.batches(1, func(int) {
			before(len(latencies))
			start := time.Now()
			op()
			latencies = append(latencies, time.Since(start))
		})
	})
	slices.Sort(latencies)
	r.Latencies = latencies
	r.Time = r.Quantile(50)
	return r
}

// Memory counts the bytes and objects that each of n operations allocates, in whichever goroutine.
// The collector is off meanwhile, because it empties pools.
func Memory(n int, op func()) (bytes, objects float64) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	repeat := func(n int) {
		for range n {
			op()
		}
	}
	repeat(n/10 + 1) // fills the pools
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	repeat(n)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		float64(after.Mallocs-before.Mallocs) / float64(n)
}

// nop is what is called: a call's cost is all that is measured.
func nop() {}

// A way is one to have functions run on a thread.
type way struct {
	name    string
	open    func() (s Subject, end func())
	threads int // how many share the work; zero is one
}

var (
	onMain   = way{name: "threadcall", open: func() (Subject, func()) { return MainThread, nop }}
	onThread = way{name: "thread", open: func() (Subject, func()) {
		t := thread.New()
		return t, t.Terminate
	}}
	reference = way{name: "reference", open: func() (Subject, func()) {
		d := Struct()
		return d, OnThread(d)
	}}
)

func spinning(linger time.Duration) way {
	return way{name: "spinning", open: func() (Subject, func()) { return spin(linger) }}
}
