package thread_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A promise is what holds for every way to have a function run.
type promise struct {
	name string
	test func(t *testing.T, w way)
}

var promises = []promise{
	{"once", testOnce},
	{"visible", testVisible},
	{"order", testOrder},
	{"order on the thread", testOrderOnTheThread},
	{"nested", testNested},
	{"coroutine", testCoroutine},
	{"panic", testPanic},
	{"Goexit", testGoexit},
	{"panic in Goexit", testPanicInGoexit},
	{"post", testPost},
	{"terminate while queued", testTerminateQueued},
	{"terminate while running", testTerminateRunning},
	{"terminate itself", testTerminateItself},
	{"terminate at once", testTerminateAtOnce},
	{"unlock", testUnlock},
	{"rest", testRest},
	{"one P", testOneP},
}

func TestThread_Call(t *testing.T) { eachPromise(t, threadWays) }
func TestPool_Call(t *testing.T)   { eachPromise(t, poolWays) }

func eachPromise(t *testing.T, ways map[string]func(t *testing.T) way) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			for name, start := range ways {
				t.Run(name, func(t *testing.T) { p.test(t, start(t)) })
			}
		})
	}
}

func testOnce(t *testing.T, w way) {
	var its uint64
	w.call(func() { its = here() })
	for range 100 {
		runs := 0
		if !w.call(func() {
			time.Sleep(10 * time.Microsecond)
			runs++
			if here() != its {
				t.Error("the function ran on another thread")
			}
		}) || runs != 1 {
			t.Fatalf("the function ran %d times", runs)
		}
	}
}

// The variables have no locks of their own: the race detector says whether the calls order what happens to them.
func testVisible(t *testing.T, w way) {
	asked, answered, posted := 0, 0, 0
	for i := range 1000 {
		asked = i
		w.post(func() { posted += asked })
		w.call(func() { answered = asked })
		if answered != i {
			t.Fatalf("asked for %d and got %d", i, answered)
		}
	}
	if posted != 999*1000/2 {
		t.Errorf("the posted functions saw numbers whose sum is %d", posted)
	}
	const callers, calls = 8, 500
	count, total := 0, 0
	ends(t, func() {
		var all group.Group
		for i := range callers {
			way := []func(func()) bool{w.call, w.post}[i%2]
			all.Go(func() {
				for range calls {
					way(func() { count++ })
				}
			})
		}
		all.Wait()
		w.call(func() { total = count })
	})
	if total != callers*calls {
		t.Errorf("%d functions ran, want %d", total, callers*calls)
	}
}

func testOrder(t *testing.T, w way) {
	r := seeded(t)
	ends(t, func() {
		var all group.Group
		for range 4 {
			r := fork(r)
			all.Go(func() { inOrder(t, r, w, scaled(5000)) })
		}
		all.Wait()
	})
}

// inOrder makes n calls and posts of which each checks that it is the next.
func inOrder(t *testing.T, r *rand.Rand, w way, n int) {
	next := 0
	for i := range n {
		step := func() {
			if next != i {
				t.Errorf("number %d ran when it was the turn of number %d", i, next)
			}
			next++
		}
		if r.IntN(4) == 0 {
			w.call(step)
			if next != i+1 {
				t.Errorf("%d functions had run after call %d", next, i)
				return
			}
		} else {
			w.post(step)
		}
	}
	w.call(func() {
		if next != n {
			t.Errorf("%d functions ran, want %d", next, n)
		}
	})
}

// A pool promises no order between its threads, and a call made on one of them runs in place.
func testOrderOnTheThread(t *testing.T, w way) {
	if w.pool {
		return
	}
	r := seeded(t)
	ends(t, func() { w.call(func() { inOrder(t, r, w, 1000) }) })
	if here() != 0 {
		ends(t, func() { w.call(func() { inCoroutine(func() { inOrder(t, r, w, 1000) }) }) })
	}
	for _, inside := range []func(f func()){func(f func()) { f() }, inCoroutine} {
		if here() == 0 {
			continue // and so there are no coroutines
		}
		var order []int
		add := func(n int) func() { return func() { order = append(order, n) } }
		if deferred, returned := exits(t, func() {
			w.call(func() {
				inside(func() {
					w.post(add(1))
					w.post(runtime.Goexit)
					w.post(add(2))
					w.post(add(3))
					w.call(func() { t.Error("ran in a goroutine that had ended") })
				})
			})
		}); !deferred || returned {
			t.Errorf("the deferred calls ran: %v, the goroutine went on: %v", deferred, returned)
		}
		w.call(add(4))
		if !slices.Equal(order, []int{1, 2, 3, 4}) {
			t.Errorf("after a Goexit, ran in the order %v", order)
		}
	}
}

func testNested(t *testing.T, w way) {
	ends(t, func() {
		w.call(func() {
			outer, ran := ident.G(), false
			if !w.call(func() { ran = ident.G() == outer }) || !ran {
				t.Error("a nested call did not run in place")
			}
		})
	})
	depth := 0
	var deeper func()
	deeper = func() {
		if depth++; depth < 2000 {
			w.call(deeper)
		}
	}
	ends(t, func() { w.call(deeper) })
	if depth != 2000 {
		t.Errorf("%d nested calls ran", depth)
	}
}

// inCoroutine runs f as a coroutine, on the goroutine's thread, until it ends.
func inCoroutine(f func()) {
	next, stop := iter.Pull(func(yield func(bool) bool) { f() })
	defer stop()
	next()
}

func testCoroutine(t *testing.T, w way) {
	needsCoroutines(t)
	ends(t, func() {
		w.call(func() {
			its := here()
			next, stop := iter.Pull(func(yield func(int) bool) {
				for i := range 10 {
					v := -1
					if !w.call(func() { v = i }) {
						t.Error("reported that it did not run")
					}
					w.call(func() {
						if here() != its {
							t.Error("ran on another thread")
						}
					})
					yield(v)
				}
			})
			defer stop()
			for i := range 10 {
				if n, _ := next(); n != i {
					t.Errorf("result %d of the coroutine is %d", i, n)
				}
			}
		})
		for name, body := range map[string]func(){"itself": runtime.Goexit, "by call": func() { w.call(runtime.Goexit) }} {
			if deferred, returned := exits(t, func() { w.call(func() { inCoroutine(body) }) }); !deferred || returned {
				t.Errorf("Goexit in a coroutine, %s: the deferred calls ran: %v, the goroutine went on: %v", name, deferred, returned)
			}
		}
	})
}

func testPanic(t *testing.T, w way) {
	other := start(t)
	for _, p := range panics {
		for name, f := range map[string]func(){
			"call":                   func() { w.call(p.f); t.Error("the call returned") },
			"nested":                 func() { w.call(func() { w.call(p.f) }) },
			"through another thread": func() { other.Call(func() { w.call(p.f) }) },
			"in a coroutine": func() {
				w.call(func() {
					var v any
					inCoroutine(func() { v = recovered(func() { w.call(p.f) }) })
					panic(v)
				})
			},
		} {
			if name == "in a coroutine" && here() == 0 {
				continue
			}
			if v := recovered(f); !p.ok(v) {
				t.Errorf("%s, %s: recovered %#v", p.name, name, v)
			}
		}
	}
	if v := recovered(func() { w.call(func() { recovered(func() { panic("mine") }) }) }); v != nil {
		t.Errorf("the caller recovered %v, which the function had recovered", v)
	}
	if p := w.fault(); p != nil {
		t.Errorf("the panic of a call is kept: %v", p)
	}
	if ran := false; !w.call(func() { ran = recover() == nil }) || !ran {
		t.Error("the thread did not live on")
	}
}

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

func testGoexit(t *testing.T, w way) {
	other := start(t)
	for name, f := range map[string]func(){
		"call":                   func() { w.call(runtime.Goexit) },
		"nested":                 func() { w.call(func() { w.call(func() { w.call(runtime.Goexit) }) }) },
		"deferred":               func() { w.call(func() { defer runtime.Goexit() }) },
		"in a panic":             func() { w.call(func() { defer runtime.Goexit(); panic("replaced by Goexit") }) },
		"through another thread": func() { other.Call(func() { w.call(runtime.Goexit) }) },
		"before a deferred call": func() { w.call(func() { defer w.call(nop); runtime.Goexit() }) },
	} {
		if deferred, returned := exits(t, f); !deferred || returned {
			t.Errorf("%s: the deferred calls ran: %v, the goroutine went on: %v", name, deferred, returned)
		}
		if !w.call(nop) || !other.Call(nop) {
			t.Fatalf("%s: a thread did not live on", name)
		}
	}
}

func testPanicInGoexit(t *testing.T, w way) {
	both := func() {
		defer func() { panic("boom") }()
		runtime.Goexit()
	}
	for name, f := range map[string]func(){"in place": both, "called": func() { w.call(both) }} {
		var got any
		_, returned := exits(t, func() {
			func() {
				defer func() { got = recover() }()
				f()
			}()
		}) // the Goexit goes on although its panic was recovered
		if got != "boom" || returned {
			t.Errorf("%s: recovered %v, the goroutine went on: %v", name, got, returned)
		}
	}
	w.post(both)
	ends(t, func() { w.call(nop) })
	if p := w.fault(); p == nil || p.Value != "boom" {
		t.Errorf("of a posted function, %v is kept", p)
	}
}

// Go blocks neither while the thread is busy, nor on the thread itself.
func testPost(t *testing.T, w way) {
	many := scaled(200_000)
	ran := 0
	post := func() {
		for range many {
			if !w.post(func() { ran++ }) {
				t.Error("Go refused a function")
				return
			}
		}
	}
	busy := occupy(t, w.post)
	ends(t, post)
	busy.Open()
	ends(t, func() {
		w.call(func() {
			before := ran
			if post(); ran != before {
				t.Error("Go ran a function in place")
			}
		})
		w.call(nop)
	})
	if ran != 2*many {
		t.Errorf("%d functions ran, want %d", ran, 2*many)
	}
}

func testTerminateQueued(t *testing.T, w way) {
	busy := occupy(t, w.post)
	const callers = 10
	results := make(chan bool)
	for range callers {
		go func() { results <- w.call(func() { t.Error("ran after Terminate") }) }()
	}
	time.Sleep(5 * time.Millisecond) // most of them are queued now
	w.post(func() { t.Error("ran after Terminate") })
	w.terminate()
	for range callers {
		if testutil.Arrives(t, results) { // although the thread is busy
			t.Error("reported that it ran")
		}
	}
	busy.Open()
}

func testTerminateRunning(t *testing.T, w way) {
	begun, release := make(chan bool), make(chan bool)
	result := make(chan bool)
	finished := false
	go func() { result <- w.call(func() { close(begun); <-release; finished = true }) }()
	testutil.Arrives(t, begun)
	w.terminate()
	close(release)
	if !testutil.Arrives(t, result) || !finished {
		t.Error("reported that it did not run")
	}
}

func testTerminateItself(t *testing.T, w way) {
	after := false
	ends(t, func() {
		if ok := w.call(func() {
			if !w.pool {
				w.post(w.terminate)
			} else {
				w.terminate()
			}
			w.post(func() { t.Error("ran after Terminate") })
			if w.call(func() { t.Error("a nested call ran after Terminate") }) {
				t.Error("reported that a nested call ran")
			}
			w.terminate()
			after = true
		}); !ok || !after {
			t.Errorf("told %v, the function came to its end: %v", ok, after)
		}
	})
	if w.call(nop) {
		t.Error("a later call ran")
	}
}

// Each caller gets the right answer, whichever goroutine terminates the thread.
func testTerminateAtOnce(t *testing.T, w way) {
	var ran, told atomic.Int32
	ends(t, func() {
		var all group.Group
		for range 10 {
			all.Go(func() {
				for w.call(func() { ran.Add(1) }) {
					told.Add(1)
				}
			})
			all.Go(func() {
				for range 100 {
					w.post(nop)
				}
				w.post(w.terminate)
			})
			all.Go(func() { time.Sleep(100 * time.Microsecond); w.terminate() })
		}
		all.Wait()
	})
	if ran.Load() != told.Load() {
		t.Errorf("%d functions ran, and %d callers were told so", ran.Load(), told.Load())
	}
}

// A function that unlocks once too often does not unpin the thread.
func testUnlock(t *testing.T, w way) {
	if here() == 0 {
		t.Skip("this system does not distinguish threads")
	}
	var its uint64
	w.call(func() { its = here() })
	for _, c := range []struct{ functions, unlocks int }{{1, 1}, {1, 499}, {500, 1}} { // 1,000 in all
		for range c.functions {
			w.call(func() {
				runtime.LockOSThread()
				runtime.UnlockOSThread()
				for range c.unlocks {
					runtime.UnlockOSThread()
				}
			})
		}
		stop := compute()
		for range 10 {
			w.call(func() {
				runtime.Gosched()
				time.Sleep(time.Microsecond) // where an unlocked goroutine changes its thread
				if here() != its {
					t.Errorf("on thread %d, was on %d", here(), its)
				}
			})
		}
		stop()
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

// A thread rests more deeply the longer it has nothing to do. It is called out of every stage.
func testRest(t *testing.T, w way) {
	r := seeded(t)
	ends(t, func() {
		for end := time.Now().Add(shortly(300 * time.Millisecond)); time.Now().Before(end); {
			pause := time.Duration(r.IntN([]int{1, 100, 1000, 10_000, 30_000}[r.IntN(5)])) * time.Microsecond
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
		ran := make(chan bool, 1)
		w.post(func() { ran <- true }) // although nothing calls after it
		<-ran
	})
}

// Calls without a pause let other goroutines run, although there is only one P.
func testOneP(t *testing.T, w way) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	answer := make(chan bool, 1)
	for _, again := range []func(){func() { w.call(nop) }, func() { w.post(func() { answer <- true }); <-answer }} {
		ends(t, func() {
			for range 100 {
				again()
			}
			var ran atomic.Bool
			go ran.Store(true)
			for start := time.Now(); !ran.Load(); again() {
				if time.Since(start) > timeLimit/2 {
					t.Errorf("another goroutine has not run within %v", timeLimit/2)
					return
				}
			}
		})
	}
}

// What threads and pools of one thread promise of posted functions that panic.
func TestTakePanic(t *testing.T) {
	for name, w := range map[string]way{"thread": ofThread(start(t)), "pool": ofPool(startPool(t, 1))} {
		for _, p := range panics {
			w.post(p.f)
		}
		w.post(func() { panic(errBoom) })
		w.post(deepest)
		w.call(nop)
		w.terminate()
		for _, p := range panics {
			if f := w.fault(); f == nil || !p.ok(f.Value) || f.Lost != 0 {
				t.Errorf("%s, %s: TakePanic returned %#v", name, p.name, f)
			} else if err, ok := f.Value.(error); errors.Unwrap(f) != err || !ok && f.Unwrap() != nil {
				t.Errorf("%s, %s: Unwrap returned %v", name, p.name, f.Unwrap())
			}
		}
		if f := w.fault(); f == nil || !errors.Is(f, errBoom) || f.Error() != "panic: boom" {
			t.Errorf("%s: TakePanic returned %v", name, f)
		}
		checkStack(t, w.fault())
		if f := w.fault(); f != nil {
			t.Errorf("%s: one panic too many: %v", name, f)
		}
	}
}

func TestTakePanic_lost(t *testing.T) {
	const kept, lost = 1024, 100
	for name, w := range map[string]way{"thread": ofThread(start(t)), "pool": ofPool(startPool(t, 1))} {
		for i := range kept + lost {
			w.post(func() { panic(i) })
		}
		w.call(nop)
		for i := range kept - 1 {
			if p := w.fault(); p == nil || p.Value != i || p.Lost != 0 || p.Error() != fmt.Sprint("panic: ", i) {
				t.Fatalf("%s: panic %d is %v", name, i, p)
			}
		}
		if p := w.fault(); p == nil || p.Lost != lost || p.Error() != "panic: 1023 (and 100 panics that were not kept)" {
			t.Fatalf("%s: the last panic is %v", name, p)
		}
		if p := w.fault(); p != nil {
			t.Errorf("%s: one panic too many: %v", name, p)
		}
	}
}

// A coroutine that outlives the function that began it calls the thread again in others.
func TestCoroutine_outlives(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	var next func() (int, bool)
	var stop func()
	th.Call(func() {
		next, stop = iter.Pull(func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
				th.Call(nop)
			}
		})
	})
	for i := range 100 {
		ends(t, func() {
			th.Call(func() {
				if n, _ := next(); n != i {
					t.Errorf("got %d, want %d", n, i)
				}
			})
		})
	}
	th.Call(stop)
}
