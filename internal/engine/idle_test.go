package engine

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/testutil"
)

func needsSpinning(t *testing.T) {
	t.Helper()
	if !multicore || runtime.GOMAXPROCS(0) == 1 {
		t.Skip("nothing spins here")
	}
}

// maySpin makes the calling thread, which is e's, one that spins when it has nothing to do, whatever it has measured. It is
// false if there is no place among the spinners.
func maySpin(e *Engine) bool {
	p := &e.rest.pace
	p.wakeUp, p.cost, p.wait = maxWakeUp, 0, 0
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		spinners.until.Store(0) // although it has not paid
		if p.spinning || p.begin(park.Now(), park.Now()) {
			break
		}
		if time.Since(start) > testutil.TimeLimit() {
			return false
		}
	}
	e.waits.spin.Store(int64(p.price()))
	return true
}

func noSpinners() bool { return spinners.n.Load() == 0 }

func TestAThreadThatSpinsInVainParks(t *testing.T) {
	needsSpinning(t)
	e := start(t)
	for range 100 {
		spins := make(chan bool, 1)
		e.Go(func() { spins <- maySpin(e) })
		if !<-spins {
			t.Fatal("there is no place among the spinners")
		}
		eventually(t, func() bool { return e.mode.Load() == inScheduler && e.q.Resting() }, "the thread waits in the Go scheduler")
		eventually(t, noSpinners, "it has given back its place among the spinners")
		if !e.Call(func() {}) {
			t.Fatal("a call did not run")
		}
	}
}

// Else no thread spins any more when as many have ended as there are places.
func TestAThreadThatEndsGivesBackItsPlaceAmongTheSpinners(t *testing.T) {
	needsSpinning(t)
	for name, try := range map[string]func(e *Engine) bool{
		"its own function terminates it": func(e *Engine) (ok bool) {
			e.Start(nil, false)
			e.Call(func() { ok = maySpin(e); e.Terminate() })
			return ok
		},
		"a function calls Goexit and terminates it": func(e *Engine) bool {
			e.Start(nil, false)
			spins := make(chan bool, 1)
			e.Go(func() { defer e.Terminate(); spins <- maySpin(e); runtime.Goexit() })
			return <-spins
		},
		"it is retired": func(e *Engine) (ok bool) {
			e.Start(nil, false)
			e.Call(func() { ok = maySpin(e); e.Retire() })
			return ok
		},
		"ServeContext ends": func(e *Engine) (ok bool) {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan bool)
			go func() {
				defer close(done)
				e.Adopt(false)
				e.Go(func() { ok = maySpin(e); cancel() })
				_ = e.ServeContext(ctx)
				e.Terminate()
			}()
			<-done
			return ok
		},
	} {
		e, o := New(0)
		if !try(e) {
			t.Fatalf("%s: there is no place among the spinners", name)
		}
		eventually(t, noSpinners, name+"; the place is given back")
		runtime.KeepAlive(o)
	}
}

func TestThereAreHalfAsManySpinnersAsCores(t *testing.T) {
	needsSpinning(t)
	var s spinnerSet
	most := max(1, int(cores)/2)
	for range 3 {
		for i := range most {
			if !s.enter(0) {
				t.Fatalf("number %d of %d has no place", i+1, most)
			}
		}
		if s.open(0) || s.enter(0) {
			t.Fatalf("there are more than %d", most)
		}
		for range most {
			s.leave()
		}
	}
	var in atomic.Int32
	var all group.Group
	for range 4 * cores {
		all.Go(func() {
			for range 1000 {
				if !s.enter(0) {
					continue
				}
				if n := in.Add(1); int(n) > most {
					t.Errorf("%d have entered of %d", n, most)
				}
				runtime.Gosched()
				in.Add(-1)
				s.leave()
			}
		})
	}
	all.Wait()
	if n := s.n.Load(); n != 0 {
		t.Errorf("all have left, and %d are counted", n)
	}
	for _, failures := range []int{1, 100} {
		for range failures {
			s.failed(0)
		}
		if s.open(0) || s.enter(0) || !s.open(maxPause) {
			t.Errorf("after %d failures more, others may spin at once or never", failures)
		}
	}
}

// A caller looks for its outcome for a while, whatever it knows of the thread, and then goes to the Go scheduler.
func TestACallerThatWaitsInVainParks(t *testing.T) {
	e, _ := New(0)
	for _, limit := range []time.Duration{0, time.Microsecond, time.Millisecond} {
		for _, woke := range []bool{false, true} {
			for _, behind := range []bool{false, true} {
				for _, on := range []*Engine{nil, e} {
					e.waits.spin.Store(int64(limit))
					e.waits.price.Store(int64(limit))
					c := e.q.Get(callq.Awaited, func() {}, 0)
					looked := make(chan callq.Outcome, 1)
					go func() { looked <- e.waits.wait(c, on, woke, behind) }()
					eventually(t, func() bool { return len(looked) == 1 }, "it looks no more")
					if o := <-looked; o != 0 {
						t.Errorf("the outcome is %d", o)
					}
				}
			}
		}
	}
}

// A caller that sees an outcome while it spins need not have been told that its function has run.
func TestACallerThatSpinsIsToldWhatHasHappened(t *testing.T) {
	e, _ := New(0)
	e.q.Awake() // as a thread that spins
	e.waits.spin.Store(int64(10 * time.Microsecond))
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 10_000 {
			if e.Call(func() {}) {
				t.Error("a call that was refused returned true")
				return
			}
		}
	}()
	eventually(t, func() bool {
		for range 1000 {
			if c := e.q.Take(); c != nil {
				c.Settle(callq.Refused)
			}
			runtime.Gosched()
		}
		select {
		case <-done:
			return true
		default:
			return false
		}
	}, "the calls end")
}
