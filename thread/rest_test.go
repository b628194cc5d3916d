package thread_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
)

// A thread that has nothing to do rests more and more deeply. These tests call it out of every stage.

func TestACallFindsTheThreadHoweverDeeplyItRests(t *testing.T) {
	r := seeded(t)
	inEveryWay(t, func(t *testing.T, w way) {
		ends(t, func() {
			for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
				longest := []int{1, 100, 1000, 10_000, 30_000}[r.IntN(5)]
				pause := time.Duration(r.IntN(longest)) * time.Microsecond
				if pause > time.Millisecond {
					time.Sleep(pause)
				} else {
					for start := time.Now(); time.Since(start) < pause; {
					}
				}
				for range r.IntN(20) {
					if r.IntN(4) == 0 {
						w.post(nop)
					} else {
						w.call(nop)
					}
				}
			}
		})
	})
}

func TestManyThreadsAtRestAreAllFound(t *testing.T) {
	r := seeded(t)
	all := startAll(t, 16)
	ends(t, func() {
		for range 300 {
			all[r.IntN(len(all))].Call(nop)
			if r.IntN(10) == 0 {
				time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
			}
		}
	})
}

func TestACallFindsTheThreadWhenAllPsCompute(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		stop := compute()
		defer stop()
		ends(t, func() {
			for range 20 {
				time.Sleep(100 * time.Microsecond)
				for range 5 {
					w.call(nop)
				}
			}
		})
	})
}

func TestOnOnePOthersRunBesideCallAfterCall(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	inEveryWay(t, func(t *testing.T, w way) {
		othersRunBeside(t, func() { w.call(nop) })
		answer := make(chan bool, 1)
		othersRunBeside(t, func() {
			w.post(func() { answer <- true })
			<-answer
		})
	})
}

// othersRunBeside fails the test if no other goroutine runs for as long as again is called again and again.
func othersRunBeside(t *testing.T, again func()) {
	t.Helper()
	ends(t, func() {
		for range 100 {
			again()
		}
		var ran atomic.Bool
		go ran.Store(true)
		for start := time.Now(); !ran.Load(); again() {
			if time.Since(start) > patience/2 {
				t.Errorf("another goroutine has not run within %v", patience/2)
				return
			}
		}
	})
}

func TestACallFindsTheThreadWhileTheNumberOfPsChanges(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	r := seeded(t)
	th, p := start(t), startPool(t, 2)
	stop := make(chan bool)
	ends(t, func() {
		var callers group.Group
		for range 3 {
			r := fork(r)
			callers.Go(func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(time.Duration(r.IntN(1000)) * time.Microsecond):
					}
					for range r.IntN(50) {
						th.Call(nop)
						p.Call(nop)
					}
				}
			})
		}
		for range 200 {
			runtime.GOMAXPROCS(1 + r.IntN(4))
			time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
		}
		close(stop)
		callers.Wait()
	})
}

func TestTheCollectorDoesNotWaitForAThreadAtRest(t *testing.T) {
	all := startAll(t, 4)
	ends(t, func() {
		for range 30 {
			for _, th := range all {
				th.Call(nop)
			}
			runtime.GC()
		}
	})
}

func TestThousandsOfCallersAreAllServed(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		callers := scaled(4096)
		ran := 0
		ends(t, func() {
			var all group.Group
			for range callers {
				all.Go(func() {
					for range 5 {
						w.call(func() { ran++ })
					}
				})
			}
			all.Wait()
		})
		if ran != 5*callers {
			t.Errorf("%d functions ran, want %d", ran, 5*callers)
		}
	})
}
