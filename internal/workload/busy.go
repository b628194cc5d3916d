package workload

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	busyPause  = 5 * time.Millisecond
	busySettle = 30 * time.Millisecond // until the scheduler is used to a change of the load
)

// Busy is a goroutine that pauses for 5 ms and calls, in a loop, while every P computes. An operation is one turn of
// that loop: Time is the mean of all of it, since a pause too ends the later the less the scheduler gets to. Latencies
// are the calls' alone. Lost compares with the same loop without calls, which runs for as long, half of it before and
// half after.
func Busy(s Subject, x Extent) Result {
	var stop atomic.Bool
	var done atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !stop.Load() {
				compute()
				done.Add(1)
			}
		})
	}
	defer workers.Wait()
	defer stop.Store(true)

	// loop returns how much was computed per nanosecond of x.
	loop := func(x Extent, call func()) (rate float64, r Result) {
		time.Sleep(busySettle)
		before := done.Load()
		r = mean(func() int {
			return x.batches(1, func(int) {
				time.Sleep(busyPause)
				call()
			})
		})
		return float64(done.Load()-before) / (r.Time * float64(r.Ops)), r
	}
	quiet := Extent{N: (x.N + 1) / 2, D: x.D / 4}
	before, _ := loop(quiet, nop)
	latencies := make([]time.Duration, 0, x.N)
	during, r := loop(Extent{N: x.N, D: x.D / 2}, func() {
		start := time.Now()
		s.Call(nop)
		latencies = append(latencies, time.Since(start))
	})
	after, _ := loop(quiet, nop)

	slices.Sort(latencies)
	r.Latencies = latencies
	r.CPU = 0 // is that of the computing
	r.Lost = 1 - during/((before+after)/2)
	return r
}

// compute takes some 10 µs. It calls something, so that it can be preempted even if GODEBUG has asyncpreemptoff=1.
//
//go:noinline
func compute() {
	for range 10 {
		steps(1000)
	}
}

var computed atomic.Uint64 // so that the compiler cannot leave the computing out

//go:noinline
func steps(n int) {
	x := computed.Load()
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	if x == 0 {
		computed.Store(1)
	}
}
