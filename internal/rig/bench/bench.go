// Package bench loads a thread in the ways that programs do, and has what threadcall is compared
// with: the designs of an article, and lower bounds. Its benchmarks compare them under every load;
// the demo measures with it as well:
//
//	go test -bench . ./internal/rig/bench     each subject by itself, in the usual form
//	go run ./internal/rig/bench/phases        phases that follow one another in one process
//	go run ./internal/rig/plots FILE          a table of how the subjects compare
//	make bench                                all three
//
// Only ratios from one run mean much: on a machine with other work, times of the same code minutes
// apart differ by a factor of two and more.
package bench

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/threadcall/threadcall/keyed"
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

// mean measures what run does and divides it by the operations that it returns.
func mean(run func() (ops int)) Result {
	start, cpu := time.Now(), CPUTime()
	n := max(run(), 1)
	wall, cpu := time.Since(start), CPUTime()-cpu
	return Result{Ops: n, Time: float64(wall) / float64(n), CPU: float64(cpu) / float64(n)}
}

// Memory counts the bytes and objects that each of n operations allocates, in whichever goroutine:
// the least of three counts, because the runtime allocates now and then. The collector is off
// meanwhile, because it empties pools.
func Memory(n int, op func()) (bytes, objects float64) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	repeat := func(n int) {
		for range n {
			op()
		}
	}
	repeat(n/10 + 1) // fills the pools
	bytes, objects = math.Inf(1), math.Inf(1)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		repeat(n)
		runtime.ReadMemStats(&after)
		bytes = min(bytes, float64(after.TotalAlloc-before.TotalAlloc)/float64(n))
		objects = min(objects, float64(after.Mallocs-before.Mallocs)/float64(n))
	}
	return bytes, objects
}

// nop is what is called: a call's cost is all that is measured.
func nop() {}

// A way is one to have functions run on a thread, or on several that callers share.
type way struct {
	name string
	open func() (s Subject, end func())
	// share makes so many threads, and returns what each of so many callers calls; nil unless it is
	// for that
	share func(threads, callers int) (s []Subject, end func())
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
	spinning = way{name: "spinning", open: func() (Subject, func()) { return spin() }}

	inPool = way{name: "thread", share: func(threads, callers int) ([]Subject, func()) {
		return shared(pool(threads)[0], callers)
	}}
	oneChannel = way{name: "reference", share: func(threads, callers int) ([]Subject, func()) {
		return shared(pool(threads)[1], callers)
	}}
	byKey = way{name: "keyed", share: func(threads, callers int) (s []Subject, end func()) {
		k := keyed.New[int](nil, nil)
		for i := range callers {
			s = append(s, &keysInTurn{k, threads, i})
		}
		return s, k.Close
	}}
)

func shared(w way, callers int) ([]Subject, func()) {
	s, end := w.open()
	return slices.Repeat([]Subject{s}, callers), end
}

// pool returns two ways to have so many threads share the work.
func pool(threads int) []way {
	return []way{
		{name: "thread", open: func() (Subject, func()) {
			p := thread.NewPool(threads)
			return p, p.Terminate
		}},
		{name: "reference", open: func() (Subject, func()) {
			d := Struct()
			var stops []func()
			for range threads {
				stops = append(stops, OnThread(d))
			}
			return d, func() {
				for _, stop := range stops {
					stop()
				}
			}
		}},
	}
}

// A keysInTurn is a caller that calls the threads of keys below n in turn.
type keysInTurn struct {
	*keyed.Threads[int]
	n, next int
}

func (k *keysInTurn) Call(f func()) bool {
	k.next = (k.next + 1) % k.n
	return k.Threads.Call(context.Background(), k.next, func() error { f(); return nil }) == nil
}

func (k *keysInTurn) Go(f func()) bool { panic("not used") }

// A buffer is what programs use for posts: a channel of functions with so many places, to a locked
// goroutine.
type buffer chan func()

func buffered(name string, places int) way {
	return way{name: name, open: func() (Subject, func()) {
		b := make(buffer, places)
		go func() {
			runtime.LockOSThread()
			for f := range b {
				f()
			}
		}()
		return b, func() { close(b) }
	}}
}

func (b buffer) Call(f func()) bool {
	done := make(chan bool)
	b <- func() { f(); done <- true }
	return <-done
}

func (b buffer) Go(f func()) bool {
	b <- f
	return true
}
