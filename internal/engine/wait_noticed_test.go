package engine

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/spin"
	"github.com/threadcall/threadcall/internal/testutil"
)

// While the thread is busy, nothing but the post can end what the thread has asked for.
func TestPost_yields(t *testing.T) {
	e := start(t)
	g := testutil.Occupy(t, e.Go)
	for _, kind := range []uint32{yieldOwn, yieldAll} {
		e.yields.kind.Store(kind)
		if e.Go(func() {}); e.yields.kind.Load() != 0 {
			t.Errorf("after a post, %d is still wanted", kind)
		}
	}
	g.Open()
}

// Next to a goroutine that computes, a yield lasts for its timeslice, which attempts to spin pay.
func TestYield_slow(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	e, o := New(Config{})
	defer runtime.KeepAlive(o)
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
			_ = clock.Now() // where it can be preempted by any release of Go
		}
	}()
	for _, self := range []*Engine{nil, e} {
		e.waits.Lost.Store(0)
		eventually(t, func() bool {
			e.yields.kind.Store(yieldOwn)
			e.yield(self)
			return time.Duration(e.waits.Lost.Load()) >= spin.CoreLost
		}, "a yield that has lasted for long is time lost, on a thread: %v", self != nil)
	}
}

// Calls that come after pauses cost more if the thread spins, and so it does not.
func TestPark_pauses(t *testing.T) {
	e := start(t)
	for range 20 {
		e.Call(func() {})
		time.Sleep(2 * time.Millisecond)
	}
	var gain time.Duration
	if e.Call(func() { gain = e.idleState.Policy.Gain }); gain >= 0 {
		t.Errorf("spinning would have saved %v", gain)
	}
}

// Else Gosched finds the caller first, and the network waits for the 10 ms after which the runtime
// polls it: for a thousand yields or more.
func TestYield_network(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if !sched.Reschedule(false) {
		t.Skip("there is no pipe that the network poller knows")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	conn, err := r.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	e, o := New(Config{})
	defer runtime.KeepAlive(o)
	yield := func() {
		e.yields.kind.Store(yieldOwn)
		e.yield(e)
	}
	var waits, ran atomic.Bool
	go func() {
		// without a system call, in which it could lose its P
		_ = conn.Read(func(uintptr) bool {
			ran.Store(waits.Swap(true))
			return ran.Load()
		})
	}()
	for n := 0; n < 100; yield() {
		if waits.Load() {
			n++
		} else {
			runtime.Gosched()
		}
	}
	if _, err := w.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; !ran.Load(); n++ {
		yield()
	}
	if n > 100 {
		t.Errorf("the goroutine has run after %d yields", n)
	}
}

// The counts of Stats that say how a thread has found its calls, in both loops of a spin.
func TestSpin_counts(t *testing.T) {
	needsSpinning(t)
	e, o := New(Config{Own: true})
	e.Start()
	defer ends(t, e)
	r := &e.idleState
	for name, push := range map[string]func() (stop func()){
		"at its first looks": func() func() {
			e.Go(func() {})
			return func() {}
		},
		"after it has looked at the clock": func() func() {
			r.Policy.Price = time.Hour
			done := make(chan bool)
			start := clock.Now()
			go func() {
				defer close(done)
				for clock.Now()-start < time.Millisecond {
					runtime.Gosched()
				}
				e.Go(func() {})
			}()
			return func() { <-done }
		},
	} {
		eventually(t, func() (ok bool) {
			var before Stats
			e.Call(func() {
				before = e.Stats()
				found := r.Found
				if ok = maySpin(e); !ok {
					return
				}
				r.woke = 0
				stop := push()
				ok = e.spin() && r.Found == found+1
				stop()
				e.idleState.Stop()
				r.Policy.Init()
			})
			e.Call(func() {})
			return ok && e.Stats().Spinning > before.Spinning
		}, "a thread counts what it has found "+name)
	}
	runtime.KeepAlive(o)
}

// What a thread that spins loses to others counts against spinning.
func TestSpin_countsWhatItLoses(t *testing.T) {
	needsSpinning(t)
	e := start(t)
	eventually(t, func() (lost bool) {
		e.Call(func() {
			if !maySpin(e) {
				return
			}
			defer e.idleState.Policy.Init()
			defer e.idleState.Stop()
			e.idleState.woke, e.idleState.Policy.Price = 0, time.Hour
			e.waits.Lost.Store(0)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so the goroutine takes the thread's P
			go func() {
				for start := clock.Now(); clock.Now()-start < 2*spin.CoreLost; {
				}
				e.Go(nothing)
			}()
			e.spin()
			lost = time.Duration(e.waits.Lost.Load()) >= spin.CoreLost
		})
		return lost
	}, "the time in which another goroutine has run in its place is lost")
}
