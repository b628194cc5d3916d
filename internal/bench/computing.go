package bench

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/group"
)

const (
	computingPause  = 5 * time.Millisecond
	computingSettle = 30 * time.Millisecond // until the scheduler is used to a change of the load
)

// Computing is a goroutine that pauses for 5 ms and calls, in a loop, while as many others as given
// compute without end. An operation is a call, without the pause; Time is the median. Lost compares
// with the same loop without calls, which alternates with the other; CPU is of the loop with calls,
// computing included.
func Computing(goroutines int) Load {
	return func(s Subject, x Extent) Result {
		computed, stop := computeOn(goroutines)
		defer stop()
		type total struct {
			ops, time, cpu, computed float64
			latencies                []time.Duration
		}
		loop := func(t *total, x Extent, op func()) {
			time.Sleep(computingSettle)
			before := computed.Load()
			start := time.Now()
			r := single(x, func(int) { time.Sleep(computingPause) }, op)
			t.time += float64(time.Since(start))
			t.computed += float64(computed.Load() - before)
			t.ops += float64(r.Ops)
			t.cpu += r.CPU * float64(r.Ops)
			t.latencies = append(t.latencies, r.Latencies...)
		}
		var loaded, alone total
		call := func() { s.Call(nop) }
		parts := 4
		if x.N > 0 {
			parts = min(parts, x.N)
		}
		for i := range parts {
			part := Extent{D: x.D / time.Duration(2*parts)}
			if x.N > 0 {
				part.N = x.N*(i+1)/parts - x.N*i/parts
			}
			first := i%2 == 0 // so that neither is always the later one
			if first {
				loop(&alone, part, nop)
			}
			loop(&loaded, part, call)
			if !first {
				loop(&alone, part, nop)
			}
		}
		slices.Sort(loaded.latencies)
		r := Result{Ops: int(loaded.ops), CPU: loaded.cpu / loaded.ops, Latencies: loaded.latencies}
		r.Time = r.Quantile(50)
		r.Lost = 1 - loaded.computed/loaded.time/(alone.computed/alone.time)
		return r
	}
}

// computeOn starts goroutines that compute until stop is called, and counts what they do.
func computeOn(goroutines int) (computed *atomic.Int64, stop func()) {
	var stopped atomic.Bool
	var workers group.Group
	computed = new(atomic.Int64)
	for range goroutines {
		workers.Go(func() {
			for !stopped.Load() {
				compute(10)
				computed.Add(1)
			}
		})
	}
	return computed, func() {
		stopped.Store(true)
		workers.Wait()
	}
}

// compute computes for so many microseconds at 2.4 GHz, or of this machine after calibrate. It is
// the same work for every Subject. It calls something, so that it can be preempted even if GODEBUG
// has asyncpreemptoff=1.
//
//go:noinline
func compute(microseconds int) {
	for range microseconds {
		steps(microsecond)
	}
}

var microsecond = 600 // in steps

// calibrate sets how many steps take a microsecond here, by the fastest of many attempts.
func calibrate() {
	const attempt = 60_000
	best := time.Duration(math.MaxInt64)
	for range 200 {
		start := time.Now()
		steps(attempt)
		best = min(best, time.Since(start))
	}
	microsecond = max(1, attempt*int(time.Microsecond)/int(best))
}

var zero atomic.Uint64 // so that the compiler cannot leave the computing out

//go:noinline
func steps(n int) {
	x := zero.Load()
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	if x == 0 {
		zero.Store(1)
	}
}
