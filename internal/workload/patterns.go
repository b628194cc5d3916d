package workload

import (
	"sync"
	"sync/atomic"
	"time"
)

// Hot is one goroutine that calls in a closed loop. An operation is a call; Time is the mean.
func Hot(s Subject, x Extent) Result {
	return mean(func() int {
		return x.batches(100, func(n int) {
			for range n {
				s.Call(nop)
			}
		})
	})
}

// Idle is a lone call after 2 ms of silence, again and again. An operation is a call; Time is the median.
func Idle(s Subject, x Extent) Result {
	return median(x, 2*time.Millisecond, func() { s.Call(nop) })
}

// Burst is what a frame of a game does: 200 calls, then 4 ms of silence. An operation is 200 calls; Time is the
// median.
func Burst(s Subject, x Extent) Result {
	return median(x, 4*time.Millisecond, func() {
		for range 200 {
			s.Call(nop)
		}
	})
}

// Contended is as many goroutines as given, all calling in closed loops. An operation is a call; Time is the mean of
// the time between the ends of two calls, whoever made them.
func Contended(goroutines int) Pattern {
	return func(s Subject, x Extent) Result {
		return mean(func() (ops int) {
			var stop atomic.Bool
			counts := make([]int, goroutines)
			var callers sync.WaitGroup
			for i := range counts {
				share := x.N / goroutines
				if i < x.N%goroutines {
					share++
				}
				callers.Go(func() {
					n := 0
					for ; n < share || x.N == 0 && !stop.Load(); n++ {
						s.Call(nop)
					}
					counts[i] = n
				})
			}
			if x.N == 0 {
				time.Sleep(x.D)
				stop.Store(true)
			}
			callers.Wait()
			for _, n := range counts {
				ops += n
			}
			return max(ops, 1)
		})
	}
}

// Post is one goroutine that hands functions over by Go, as fast as it can. An operation is a function; Time is the
// mean, up to the moment at which the last one has run.
func Post(s Subject, x Extent) Result {
	return mean(func() int {
		n := x.batches(1000, func(n int) {
			for range n {
				s.Go(nop)
			}
		})
		s.Call(nop)
		return n
	})
}

// Nested is Hot from the thread itself. A Subject that cannot do that deadlocks.
func Nested(s Subject, x Extent) (r Result) {
	s.Call(func() { r = Hot(s, x) })
	return r
}

// Indirect measures a plain call of a function value, which Nested has to stand up to.
func Indirect(x Extent) Result { return indirect(x, nop) }

//go:noinline
func indirect(x Extent, f func()) Result {
	return mean(func() int {
		return x.batches(100, func(n int) {
			for range n {
				f()
			}
		})
	})
}
