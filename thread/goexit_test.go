package thread_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// exits runs f in a goroutine and tells how that ended.
func exits(t *testing.T, f func()) (deferred, returned bool) {
	t.Helper()
	ends(t, func() {
		defer func() { deferred = recover() == nil }()
		f()
		returned = true
	})
	return deferred, returned
}

func TestAGoexitEndsTheCallersGoroutineAndTheThreadLivesOn(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		for name, f := range map[string]func(){
			"call":       func() { w.call(runtime.Goexit) },
			"nested":     func() { w.call(func() { w.call(func() { w.call(runtime.Goexit) }) }) },
			"deferred":   func() { w.call(func() { defer runtime.Goexit() }) },
			"in a panic": func() { w.call(func() { defer runtime.Goexit(); panic("replaced by Goexit") }) },
		} {
			if deferred, returned := exits(t, f); !deferred || returned {
				t.Errorf("%s: the deferred calls ran: %v, the goroutine went on: %v", name, deferred, returned)
			}
			if !w.call(nop) {
				t.Fatalf("%s: the thread did not live on", name)
			}
		}
	})
}

func TestAGoexitEndsAllGoroutinesThatWaitForItsReturn(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		other := start(t)
		deferred, returned := exits(t, func() { other.Call(func() { w.call(runtime.Goexit) }) })
		if !deferred || returned {
			t.Errorf("the deferred calls ran: %v, the goroutine went on: %v", deferred, returned)
		}
		if !w.call(nop) || !other.Call(nop) {
			t.Error("a thread did not live on")
		}
	})
}

func TestTheDeferredCallsOfAGoexitRunOnTheThread(t *testing.T) {
	th := start(t)
	its := thread.Eval(th, here)
	var order []int
	exits(t, func() {
		th.Call(func() {
			defer func() { order = append(order, 1) }()
			defer func() {
				if here() != its {
					t.Error("ran on another thread")
				}
				order = append(order, 0)
				th.Call(func() {}) // still served
			}()
			runtime.Goexit()
		})
	})
	if !slices.Equal(order, []int{0, 1}) {
		t.Errorf("they ran in the order %v", order)
	}
}

func TestAPanicDuringGoexitReachesTheCallerAsInPlace(t *testing.T) {
	both := func() {
		defer func() { panic("boom") }()
		runtime.Goexit()
	}
	inEveryWay(t, func(t *testing.T, w way) {
		for name, f := range map[string]func(){"in place": both, "called": func() { w.call(both) }} {
			var got any
			returned := false
			ends(t, func() {
				func() {
					defer func() { got = recover() }()
					f()
				}()
				returned = true // the Goexit goes on although its panic was recovered
			})
			if got != "boom" || returned {
				t.Errorf("%s: recovered %v, the goroutine went on: %v", name, got, returned)
			}
		}
	})
}

func TestAGoexitOfAPostedFunctionEndsNobody(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		ran := 0
		for range 100 {
			w.post(runtime.Goexit)
			w.post(func() { ran++ })
		}
		ends(t, func() { w.call(nop) })
		if ran != 100 {
			t.Errorf("%d of 100 functions between them ran", ran)
		}
	})
}

func TestOthersAreServedWhileGoexitsComeAndGo(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		const each = 2000
		ran := 0
		ends(t, func() {
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					for range each {
						w.call(func() { ran++ })
					}
				})
				all.Go(func() {
					for range each / 2 {
						var one sync.WaitGroup
						one.Go(func() {
							w.call(runtime.Goexit)
							t.Error("a goroutine went on after its Goexit")
						})
						one.Wait()
					}
				})
			}
			all.Wait()
		})
		if ran != 2*each {
			t.Errorf("%d calls ran, want %d", ran, 2*each)
		}
	})
}

func TestAGoexitInACoroutineEndsTheCallThatResumedIt(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	for name, body := range map[string]func(){
		"itself":  runtime.Goexit,
		"by call": func() { th.Call(runtime.Goexit) },
	} {
		for range 100 {
			deferred, returned := exits(t, func() {
				th.Call(func() {
					for range pulled(func(yield func(int) bool) { body(); yield(0) }) {
					}
				})
			})
			if !deferred || returned {
				t.Fatalf("%s: the deferred calls ran: %v, the goroutine went on: %v", name, deferred, returned)
			}
		}
		ends(t, func() {
			if !th.Call(nop) {
				t.Error("the thread did not live on")
			}
		})
	}
}

func TestASkipOnTheThreadEndsTheTest(t *testing.T) {
	th := start(t)
	skipped := false
	t.Run("skipped", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		th.Call(func() { t.SkipNow() }) // a Goexit, as FailNow is
		t.Error("the test went on")
	})
	if !skipped {
		t.Error("the test was not skipped")
	}
}
