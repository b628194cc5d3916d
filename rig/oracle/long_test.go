package oracle

import (
	"bytes"
	"flag"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

var long = flag.Duration("long", 0, "how long TestLongRun runs programs and looks whether "+
	"anything grows")

// TestLongRun runs random programs, and next to them what these are too small for, and fails if
// what the process holds grows. make soak runs it.
func TestLongRun(t *testing.T) {
	if *long == 0 {
		t.Skip("make soak runs it")
	}
	needsCoroutines(t)
	mainExits.Store(0)
	const minSamples = 100
	every := min(time.Second, *long/minSamples)
	var values [len(measures)][]float64
	for i := range values { // or the samples themselves would be what grows
		values[i] = make([]float64, 0, *long/every+1)
	}
	procs := runtime.GOMAXPROCS(0)
	var (
		running sync.RWMutex // held for reading while a program runs
		ended   atomic.Bool
		failure atomic.Pointer[result]
		seed    atomic.Uint64
		workers testutil.Group
	)
	seed.Store(uint64(time.Now().UnixNano()))
	first := seed.Load()
	work := func(one func()) {
		workers.Go(func() {
			for !ended.Load() {
				running.RLock()
				one()
				running.RUnlock()
			}
		})
	}
	for range 4 {
		work(func() {
			if res := ofSeed(seed.Add(1), procs); res.failed() && failure.CompareAndSwap(nil, res) {
				ended.Store(true)
			}
		})
	}
	work(func() {
		if !large() {
			t.Error("a call was refused")
			ended.Store(true)
		}
	})
	for start := time.Now(); time.Since(start) < *long && !ended.Load(); time.Sleep(every) {
		running.Lock()
		runtime.GC()
		runtime.GC() // the first has run cleanups, which let go of more
		for i, m := range measures {
			values[i] = append(values[i], m.value())
		}
		running.Unlock()
	}
	ended.Store(true)
	workers.Wait()
	count := seed.Load() - first
	if res := failure.Load(); res != nil {
		fail(t, res, "")
	}
	t.Logf("%d programs in %v, %d samples", count, *long, len(values[0]))
	if len(values[0]) < minSamples/2 {
		t.Fatal("these are too few samples to judge; it must run for longer")
	}
	for i, m := range measures {
		if g := growth(values[i]); g > m.limit {
			t.Errorf("%s: grows by %.0f, more than %.0f", m.name, g, m.limit)
		} else {
			t.Logf("%s: growth %.0f, limit %.0f", m.name, g, m.limit)
		}
	}
}

var tenKiB thread.Local[*[10 << 10]byte]

// large does what the random programs are too small for: 32 threads at once, with 10 KiB each,
// pools and threads that are dropped, panics that nothing reads.
func large() bool {
	var threads testutil.Group
	for range 32 {
		threads.Go(func() {
			t := thread.New(thread.WithName("long"))
			tenKiB.Set(t, new([10 << 10]byte))
			t.Call(nop)
			t.Terminate()
		})
	}
	threads.Wait()
	for range 3 {
		if !thread.NewPool(2).Call(nop) || !thread.New().Call(nop) {
			return false
		}
	}
	t := thread.New(thread.WithPanicHandler(func(*thread.PanicError) {}))
	defer t.Terminate()
	for range 1000 {
		t.Go(func() { panic(t) })
	}
	return t.Call(nop)
}

// The measures are what a process that runs for ever must not hold more and more of. The limits are
// a few times the noise of a run in which nothing leaks. What this system does not report is zero.
var measures = [...]struct {
	name  string
	limit float64
	value func() float64
}{
	{"live heap (KiB)", 256, func() float64 {
		read := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(read)
		return float64(read[0].Value.Uint64()) / 1024
	}},
	{"goroutines", 5, func() float64 { return float64(runtime.NumGoroutine()) }},
	// the Go scheduler keeps those that were once needed at the same time
	{"OS threads", 20, func() (n float64) {
		status, _ := os.ReadFile("/proc/self/status") // of Linux
		if _, after, found := bytes.Cut(status, []byte("\nThreads:")); found {
			n, _ = strconv.ParseFloat(string(bytes.Fields(after)[0]), 64)
		}
		return n
	}},
	{"file descriptors", 3, func() float64 {
		descriptors, _ := os.ReadDir("/proc/self/fd")
		return float64(len(descriptors))
	}},
}

// growth returns by how much a series has grown beyond doubt: from the median of its first third to
// the least of its last third. The first sixth does not count: pools fill, and the runtime finds
// out how many threads it needs.
func growth(values []float64) float64 {
	values = values[len(values)/6:]
	third := len(values) / 3
	first := slices.Sorted(slices.Values(values[:third]))
	return slices.Min(values[len(values)-third:]) - first[third/2]
}
