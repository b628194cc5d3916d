package bench

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
)

// computeOn starts goroutines that compute until stop is called.
func computeOn(goroutines int) (stop func()) {
	var stopped atomic.Bool
	var workers testutil.Group
	for range goroutines {
		workers.Go(func() {
			for !stopped.Load() {
				compute(10)
			}
		})
	}
	return func() {
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
