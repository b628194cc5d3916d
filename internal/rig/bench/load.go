package bench

import (
	"slices"
	"time"

	"github.com/threadcall/threadcall/internal/rig/testutil"
)

// Hot is one goroutine that calls in a closed loop. An operation is a call; Time is the mean. One
// call in 101 is timed.
func Hot(s Subject, n int) Result {
	latencies := make([]time.Duration, 0, n/101+1)
	r := mean(func() int {
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

// Lone is a call after a pause, again and again. An operation is a call; Time is the median.
func Lone(pause time.Duration) Load {
	return func(s Subject, n int) Result {
		return single(n, func(int) { time.Sleep(pause) }, func() { s.Call(nop) })
	}
}

const idle = 2 * time.Millisecond

// Idle is a lone call after a pause of 2 ms.
func Idle(s Subject, n int) Result { return Lone(idle)(s, n) }

// Burst is what a frame of a game does: 200 calls, then a pause of 4 ms. An operation is 200 calls;
// Time is the median.
func Burst(s Subject, n int) Result {
	return single(n, func(int) { time.Sleep(4 * time.Millisecond) }, func() {
		for range 200 {
			s.Call(nop)
		}
	})
}

// Frame is what a frame does that computes for its calls: 50 times some 10 µs of its own work and a
// call, then a pause of 16 ms. An operation is a call, without the work; Time is the median.
func Frame(s Subject, n int) Result {
	return single(n, func(i int) {
		if i%50 == 0 {
			time.Sleep(16 * time.Millisecond)
		}
		compute(10)
	}, func() { s.Call(nop) })
}

// Contended is as many goroutines as given, all calling one thread in closed loops.
func Contended(goroutines int) Load {
	return func(s Subject, n int) Result {
		return Pairs(slices.Repeat([]Subject{s}, goroutines), n)
	}
}

// Pairs is a goroutine for each thread, which calls it in a closed loop. An operation is a call;
// Time is the mean of the time between the ends of two calls, of any goroutines. One call in 64 of
// each goroutine is timed.
func Pairs(threads []Subject, n int) Result {
	goroutines := len(threads)
	latencies := make([][]time.Duration, goroutines)
	r := mean(func() int {
		var callers testutil.Group
		for i, s := range threads {
			share := n / goroutines
			if i < n%goroutines {
				share++
			}
			callers.Go(func() {
				timed := make([]time.Duration, 0, share/64+1)
				for k := range share {
					if k%64 != i%64 {
						s.Call(nop)
						continue
					}
					start := time.Now()
					s.Call(nop)
					timed = append(timed, time.Since(start))
				}
				latencies[i] = timed
			})
		}
		callers.Wait()
		return n
	})
	r.Latencies = slices.Concat(latencies...)
	slices.Sort(r.Latencies)
	return r
}

// Post is one goroutine that hands functions over by Go, as fast as it can. An operation is a
// function; Time is the mean, up to the moment at which the last one has run.
func Post(s Subject, n int) Result {
	return mean(func() int {
		for range n {
			s.Go(nop)
		}
		s.Call(nop)
		return n
	})
}

// indirect measures a plain call of a function value.
//
//go:noinline
func indirect(n int, f func()) Result {
	return mean(func() int {
		for range n {
			f()
		}
		return n
	})
}
