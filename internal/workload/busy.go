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
// are the calls' alone. Lost compares with the same loop without calls, which runs in turns with the other.
func Busy(s Subject, x Extent) Result {
	var stop atomic.Bool
	var computed atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !stop.Load() {
				compute()
				computed.Add(1)
			}
		})
	}
	defer workers.Wait()
	defer stop.Store(true)

	type total struct {
		ops      int
		time     time.Duration
		computed int64
	}
	loop := func(t *total, x Extent, op func()) {
		time.Sleep(busySettle)
		start, before := time.Now(), computed.Load()
		t.ops += x.batches(1, func(int) {
			time.Sleep(busyPause)
			op()
		})
		t.time += time.Since(start)
		t.computed += computed.Load() - before
	}
	var loaded, quiet total
	latencies := make([]time.Duration, 0, x.N)
	call := func() {
		start := time.Now()
		s.Call(nop)
		latencies = append(latencies, time.Since(start))
	}
	turns := 4
	if x.N > 0 {
		turns = min(turns, x.N)
	}
	for i := range turns {
		turn := Extent{D: x.D / time.Duration(2*turns)}
		if x.N > 0 {
			turn.N = x.N*(i+1)/turns - x.N*i/turns
		}
		first := i%2 == 0 // so that neither is always the later one
		if first {
			loop(&quiet, turn, nop)
		}
		loop(&loaded, turn, call)
		if !first {
			loop(&quiet, turn, nop)
		}
	}
	slices.Sort(latencies)
	return Result{
		Ops:       loaded.ops,
		Time:      float64(loaded.time) / float64(loaded.ops),
		Latencies: latencies,
		Lost:      1 - float64(loaded.computed)/float64(loaded.time)/(float64(quiet.computed)/float64(quiet.time)),
	}
}

// compute takes some 10 µs. It calls something, so that it can be preempted even if GODEBUG has asyncpreemptoff=1.
//
//go:noinline
func compute() {
	for range 10 {
		steps(1000)
	}
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
