package thread_test

import (
	"runtime"
	"testing"
	"time"
)

func TestAFunctionThatUnlocksOnceTooOftenDoesNotUnpinTheThread(t *testing.T) {
	if here() == 0 {
		t.Skip("this system does not tell threads apart")
	}
	for name, c := range map[string]struct{ functions, unlocks int }{
		"once":                           {1, 1},
		"ten times":                      {1, 10},
		"10,000 times":                   {1, 10_000},
		"once in each of 10,000":         {10_000, 1},
		"in pairs with LockOSThread too": {100, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inEveryWay(t, func(t *testing.T, w way) {
				var its uint64
				w.call(func() { its = here() })
				for range c.functions {
					w.call(func() {
						if c.unlocks == 0 {
							runtime.LockOSThread()
							runtime.UnlockOSThread()
						}
						for range c.unlocks {
							runtime.UnlockOSThread()
						}
					})
				}
				stop := compute()
				defer stop()
				for range 20 {
					w.call(func() {
						for range 5 {
							runtime.Gosched()
							if here() != its {
								t.Errorf("on thread %d, was on %d", here(), its)
							}
							time.Sleep(time.Microsecond) // where an unlocked goroutine changes its thread
						}
					})
				}
			})
		})
	}
}

// compute keeps all Ps busy until stop is called.
func compute() (stop func()) {
	done := make(chan bool)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for {
				select {
				case <-done:
					return
				default:
					spin(1000)
					runtime.Gosched()
				}
			}
		}()
	}
	return func() { close(done) }
}
