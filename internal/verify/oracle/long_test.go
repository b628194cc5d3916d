package oracle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

var long = flag.Duration("long", 0, "how long TestLongRun runs programs and looks whether anything grows")

// TestLongRun runs random programs, and next to them what these are too small for, and fails if what the process holds
// grows. make soak runs it.
func TestLongRun(t *testing.T) {
	if *long == 0 {
		t.Skip("make soak runs it")
	}
	needsCoroutines(t)
	bubbles(t)
	mainExits.Store(0)
	const minSamples = 100
	every := min(time.Second, *long/minSamples)
	samples := make([]sample, 0, *long/every+1) // or the samples themselves would be what grows
	procs := runtime.GOMAXPROCS(0)
	var (
		running sync.RWMutex // held for reading while a program runs
		ended   atomic.Bool
		failure atomic.Pointer[result]
		wrong   atomic.Pointer[error]
		seed    atomic.Uint64
		workers group.Group
	)
	seed.Store(uint64(time.Now().UnixNano()))
	first := seed.Load()
	work := func(one func(i int)) {
		workers.Go(func() {
			for i := 0; !ended.Load(); i++ {
				running.RLock()
				one(i)
				running.RUnlock()
			}
		})
	}
	for range 4 {
		work(func(int) {
			if res := ofSeed(seed.Add(1), procs); res.failed() && failure.CompareAndSwap(nil, res) {
				ended.Store(true)
			}
		})
	}
	work(func(i int) {
		l := loads[i%len(loads)]
		if err := l.run(); err != nil {
			err = fmt.Errorf("%s: %w", l.name, err)
			wrong.Store(&err)
			ended.Store(true)
		}
	})
	start, printed := time.Now(), time.Time{}
	for time.Since(start) < *long && !ended.Load() {
		time.Sleep(every)
		running.Lock()
		s := take(start)
		running.Unlock()
		samples = append(samples, s)
		if time.Since(printed) > 10*time.Second {
			printed = time.Now()
			fmt.Printf("%v of %v: %d programs, %v\n", s.at.Round(time.Second), *long, seed.Load()-first, s)
		}
	}
	ended.Store(true)
	workers.Wait()
	count := seed.Load() - first
	if res := failure.Load(); res != nil {
		fail(t, res, fmt.Sprintf("THREADCALL_SEED=%d go test -run TestRandomPrograms ./internal/verify/oracle", res.seed))
	}
	if err := wrong.Load(); err != nil {
		t.Fatal(*err)
	}
	t.Logf("%d programs in %v, %d samples", count, *long, len(samples))
	if len(samples) < minSamples/2 {
		t.Fatal("these are too few samples to judge; it must run for longer")
	}
	for i, m := range measures {
		var values []float64
		for _, s := range samples {
			values = append(values, s.held[i])
		}
		if g := growth(values); g > m.limit {
			t.Errorf("%s: grows by %.0f, more than %.0f", m.name, g, m.limit)
		} else {
			t.Logf("%s: growth %.0f, limit %.0f", m.name, g, m.limit)
		}
	}
}

// The loads are what the random programs are too small for.
var loads = []struct {
	name string
	run  func() error
}{
	{"32 threads at once, with 10 KiB each", func() error {
		var threads group.Group
		for range 32 {
			threads.Go(func() {
				t := thread.New(thread.WithName("long"))
				t.SetTLS(new([10 << 10]byte))
				t.Call(nop)
				t.Terminate()
			})
		}
		threads.Wait()
		return nil
	}},
	{"pools and threads that are dropped", func() error {
		for range 3 {
			if !thread.NewPool(2).Call(nop) || !thread.New().Call(nop) {
				return errors.New("a call was refused")
			}
		}
		return nil
	}},
	{"100 calls whose context ends while the thread is busy", func() error {
		t, release := thread.New(), make(chan bool)
		defer t.Terminate()
		t.Go(func() { <-release })
		var callers group.Group
		var ran atomic.Int32
		for range 100 {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 200*time.Microsecond)
				defer cancel()
				if t.CallContext(ctx, func() { ran.Add(1) }) == nil {
					ran.Add(1)
				}
			})
		}
		callers.Wait()
		close(release)
		if t.Call(nop); ran.Load() != 0 {
			return errors.New("a function has run whose caller had given up")
		}
		return nil
	}},
	{"panics that nothing reads", func() error {
		t := thread.New()
		defer t.Terminate()
		for range 1000 {
			t.Go(func() { panic(t) })
		}
		t.Call(nop)
		return nil
	}},
}

func TestTheLoadsRun(t *testing.T) {
	for _, l := range loads {
		if err := l.run(); err != nil {
			t.Errorf("%s: %v", l.name, err)
		}
	}
}
