package thread_test

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
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

// Each function of a circle recovers what a function in place would recover, while the Goexit goes on.
func TestAPanicDuringGoexitTravelsRoundACircleAsInPlace(t *testing.T) {
	a, b := start(t), start(t)
	p := startPool(t, 1)
	call := func(f func()) bool { f(); return true }
	for name, w := range map[string]struct{ a, b func(f func()) bool }{
		"in place":         {call, call},
		"threads":          {a.Call, b.Call},
		"a pool":           {p.Call, b.Call},
		"through a pool":   {a.Call, p.Call},
		"with contexts":    {callWithContext(t, a), callWithContext(t, b)},
		"with a coroutine": {a.Call, func(f func()) bool { return b.Call(func() { inCoroutine(f) }) }},
	} {
		if strings.Contains(name, "coroutine") && here() == 0 {
			continue
		}
		var outer, middle, inner any
		var order []string
		deferred, returned := exits(t, func() {
			w.a(func() {
				defer func() { outer = recover(); order = append(order, "outer") }()
				w.b(func() {
					defer func() { middle = recover(); order = append(order, "middle") }()
					w.a(func() {
						defer func() { order = append(order, "inner"); panic("x") }()
						defer func() { inner = recover() }()
						runtime.Goexit()
					})
				})
			})
		})
		if !slices.Equal(order, []string{"inner", "middle", "outer"}) {
			t.Errorf("%s: unwound in the order %v", name, order)
		}
		if inner != nil || middle != "x" || outer != nil || !deferred || returned {
			t.Errorf("%s: recovered %v, then %v, then %v; the deferred calls ran: %v, the goroutine went on: %v",
				name, inner, middle, outer, deferred, returned)
		}
		if name != "in place" && (!w.a(nop) || !w.b(nop)) {
			t.Errorf("%s: a thread did not live on", name)
		}
	}
}

func TestAPanicDuringGoexitThatOnlyTheOuterFunctionRecovers(t *testing.T) {
	a, b := start(t), start(t)
	call := func(f func()) bool { f(); return true }
	for name, w := range map[string]struct{ a, b func(f func()) bool }{"in place": {call, call}, "threads": {a.Call, b.Call}} {
		var outer any
		deferred, returned := exits(t, func() {
			w.a(func() {
				defer func() { outer = recover() }()
				w.b(func() { w.a(func() { defer panic("x"); runtime.Goexit() }) })
			})
		})
		if outer != "x" || !deferred || returned {
			t.Errorf("%s: recovered %v; the deferred calls ran: %v, the goroutine went on: %v", name, outer, deferred, returned)
		}
	}
}

func TestAPanicOfAPostedFunctionDuringGoexitIsKept(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		w.post(func() { defer panic("x"); runtime.Goexit() })
		ends(t, func() { w.call(nop) })
		if err := w.fault(); err == nil || err.Error() != "panic: x" {
			t.Errorf("Error returned %v", err)
		}
		w.post(runtime.Goexit)
		ends(t, func() { w.call(nop) })
		if err := w.fault(); err != nil {
			t.Errorf("after a Goexit, Error returned %v", err)
		}
	})
}

// A deferred call of the outer function needs the thread that waits for the inner one: so the inner call must have been
// answered by then, as in place.
func TestACallThatExitsIsAnsweredBeforeTheFunctionsAroundItUnwind(t *testing.T) {
	a, b := start(t), start(t)
	for range scaled(200) {
		called := false
		exits(t, func() {
			a.Call(func() {
				defer func() { called = b.Call(nop) }()
				b.Call(func() { a.Call(runtime.Goexit) })
			})
		})
		if !called {
			t.Fatal("a call in a deferred call did not run")
		}
	}
}

// exitWhileWaiting has thread a wait for a target, which waits for d, which calls a: a function that calls Goexit. It tells
// whether f, which a has called on the target, ran.
func exitWhileWaiting(t *testing.T, a, d *thread.Thread, call func(func()) bool, f func(unwound bool)) (ran bool) {
	t.Helper()
	var unwound atomic.Bool
	var all group.Group
	waits := make(chan bool)
	all.Go(func() {
		call(func() { // keeps the target busy
			d.Call(func() {
				<-waits
				time.Sleep(100 * time.Microsecond)
				a.Call(runtime.Goexit)
			})
		})
	})
	all.Go(func() {
		a.Call(func() {
			defer unwound.Store(true)
			close(waits)
			call(func() { ran = true; f(unwound.Load()) })
		})
	})
	ends(t, all.Wait)
	ends(t, func() { call(nop) })
	return ran
}

// What a thread waited for when it was unwound has no caller any more.
func TestACallWhoseCallerHasExitedDoesNotBegin(t *testing.T) {
	a, d := start(t), start(t)
	for name, call := range map[string]func(func()) bool{
		"Call":        start(t).Call,
		"CallContext": callWithContext(t, start(t)),
		"Pool.Call":   startPool(t, 1).Call,
	} {
		left := 0
		for range scaled(300) {
			if !exitWhileWaiting(t, a, d, call, func(unwound bool) {
				if unwound {
					t.Errorf("%s: it began although its caller had been unwound", name)
				}
			}) {
				left++
			}
		}
		t.Logf("%s: %d were left before they had begun", name, left)
	}
}

// The records of such calls are used again.
func TestCallsThatAGoexitLeavesBehindCostNoMemory(t *testing.T) {
	for name, call := range map[string]func(func()) bool{
		"Call":        start(t).Call,
		"CallContext": callWithContext(t, start(t)),
		"Pool.Call":   startPool(t, 1).Call,
	} {
		heap := func() int {
			for range 3 {
				runtime.GC()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		rounds := scaled(2000)
		begun := func() { // the call has begun when its caller is unwound
			a := thread.New()
			defer a.Terminate()
			for range rounds {
				exits(t, func() { a.Call(func() { call(func() { a.Call(runtime.Goexit) }) }) })
			}
		}
		queued := func() { // or it has not
			a, d := thread.New(), thread.New()
			defer a.Terminate()
			defer d.Terminate()
			for range rounds / 5 {
				exitWhileWaiting(t, a, d, call, func(bool) {})
			}
		}
		begun()
		queued()
		const perExit = 120 // bytes; a record and its token are twice as much
		before := heap()
		eventually(t, func() bool { // the runtime may need some more threads, but not each time
			begun()
			queued()
			after := heap()
			growth := after - before
			before = after
			return growth < perExit*rounds
		}, "%s: the heap does not grow with %d calls", name, rounds)
	}
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
			var all group.Group
			for range 2 {
				all.Go(func() {
					for range each {
						w.call(func() { ran++ })
					}
				})
				all.Go(func() {
					for range each / 2 {
						var one group.Group
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
