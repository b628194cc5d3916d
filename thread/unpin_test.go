package thread_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func TestAFunctionThatUnlocksOnceTooOftenDoesNotUnpinTheThread(t *testing.T) {
	if here() == 0 {
		t.Skip("this system does not tell threads apart")
	}
	for name, c := range map[string]struct{ functions, unlocks int }{
		"once":                           {1, 1},
		"ten times":                      {1, 10},
		"1,000 times":                    {1, 1000},
		"once in each of 1,000":          {1000, 1},
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

func TestFunctionsOnAnAdoptedThreadMayUnlock10000TimesTooOften(t *testing.T) {
	for _, hosts := range []bool{false, true} {
		ends(t, func() {
			if hosts {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			th := thread.Adopt()
			defer th.Terminate()
			for range 10_000 {
				th.Call(runtime.UnlockOSThread)
			}
			var b [100]byte
			if first, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), "\n"); !strings.Contains(first, "locked to thread") {
				t.Errorf("not locked any more; by the host: %v; %s", hosts, first)
			}
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
