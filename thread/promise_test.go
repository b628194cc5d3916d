package thread_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// What a call promises is tested for each way to have a function run. The same holds for random
// programs: see rig/oracle.
var promises = []struct {
	name string
	test func(t *testing.T, w way)
	once bool // for one way of a thread and of a pool, because it takes long
}{
	{"order", testOrder, false},
	{"nested", testNested, false},
	{"panic", testPanic, false},
	{"one P", testOneP, true},
	{"let go", testLetGo, false},
}

func TestThread_keepsItsPromises(t *testing.T) {
	eachPromise(t, threadWays, func() runner { return start(t) })
}

func TestPool_keepsItsPromises(t *testing.T) {
	eachPromise(t, poolWays, func() runner { return startPool(t, 1, thread.WithQueueLimit(0)) })
}

func eachPromise(t *testing.T, ways map[string]waysToRun, start func() runner) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			for name, with := range ways {
				if name == "Call" || !p.once {
					t.Run(name, func(t *testing.T) { p.test(t, with(t, start())) })
				}
			}
		})
	}
}

// A runner is a Thread or a Pool.
type runner interface {
	thread.Caller
	Call(f func()) bool
	Go(f func()) bool
	TryGo(f func()) bool
	GoContext(ctx context.Context, f func()) error
	MustCall(f func())
	Stats() thread.Stats
	Done() <-chan struct{}
	Close()
	Shutdown(ctx context.Context) error
	Terminate()
}

// A way is a way to run a function and to wait for it, and one to post it.
type way struct {
	runner
	call, post func(f func()) bool
	pool       bool
}

func wayOf(r runner) way {
	_, pool := r.(*thread.Pool)
	return way{r, r.Call, r.Go, pool}
}

// both are a thread and a pool of one.
func both(t *testing.T, opts ...thread.Option) map[string]way {
	return map[string]way{"thread": wayOf(start(t, opts...)), "pool": wayOf(startPool(t, 1, opts...))}
}

type waysToRun func(t *testing.T, r runner) way

var poolWays = map[string]waysToRun{
	"Call": func(_ *testing.T, r runner) way { return wayOf(r) },
	"CallContext, GoContext": func(t *testing.T, r runner) way {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		w := wayOf(r)
		w.call, w.post = withContext(ctx, r), func(f func()) bool { return r.GoContext(ctx, f) == nil }
		return w
	},
	"EvalContext, TryGo": func(t *testing.T, r runner) way {
		w := wayOf(r)
		w.post = r.TryGo
		w.call = evaluated(func(f func() int64) int64 {
			n, err := thread.EvalContext(t.Context(), r, f)
			if want := errorOf(n, f == nil); !errors.Is(err, want) && t.Context().Err() == nil {
				t.Errorf("EvalContext returned %d, %v, want %v", n, err, want)
			}
			return n
		})
		return w
	},
	"EvalContext of an error": func(t *testing.T, r runner) way {
		w := wayOf(r)
		w.call = evaluated(func(f func() int64) int64 {
			failed, err := thread.EvalContext(t.Context(), r, failing(f))
			n, ok := failed.(resultError)
			want := errorOf(int64(n), f == nil)
			if !ok && failed != nil || !errors.Is(err, want) && t.Context().Err() == nil {
				t.Errorf("EvalContext returned %v, %v, want %v", failed, err, want)
			}
			return int64(n)
		})
		return w
	},
	"MustEval of an error": func(t *testing.T, r runner) way {
		w := wayOf(r)
		eval := func(f func() int64) int64 {
			return int64(thread.MustEval(r, failing(f)).(resultError))
		}
		w.call = must(func(f func()) { evaluated(eval)(f) })
		return w
	},
	"MustCall": func(t *testing.T, r runner) way {
		w := wayOf(r)
		w.call = must(r.MustCall)
		return w
	},
	"MustEval": func(t *testing.T, r runner) way {
		w := wayOf(r)
		eval := func(f func() int64) int64 { return thread.MustEval(r, f) }
		w.call = must(func(f func()) { evaluated(eval)(f) })
		return w
	},
}

var threadWays = map[string]waysToRun{
	"Bind": func(_ *testing.T, r runner) way {
		w := wayOf(r)
		bound := thread.Bind2V(r.(*thread.Thread), func(f func(), n int64) int64 { f(); return n })
		w.call = func(f func()) bool {
			n := results.Add(1)
			return f != nil && bound(f, n) == n
		}
		return w
	},
	"BindGo": func(_ *testing.T, r runner) way {
		w := wayOf(r)
		post := thread.BindGo1(r.(*thread.Thread), func(f func()) { f() })
		w.post = func(f func()) bool { return f != nil && post(f) }
		return w
	},
}

func init() {
	for name, w := range poolWays {
		threadWays[name] = w
	}
}

var results atomic.Int64

// A resultError is a result of a call as an error.
type resultError int64

func (e resultError) Error() string { return fmt.Sprint("error ", int64(e)) }

// failing returns a function with the result of f as an error.
func failing(f func() int64) func() error {
	if f == nil {
		return nil
	}
	return func() error { return resultError(f()) }
}

// evaluated is a way to call a function with a result, which must be that of the call or zero.
func evaluated(eval func(func() int64) int64) func(func()) bool {
	return func(f func()) bool {
		if f == nil {
			return eval(nil) != 0
		}
		n := results.Add(1)
		switch got := eval(func() int64 { f(); return n }); got {
		case n:
			return true
		case 0:
			return false
		default:
			panic("the result of another call")
		}
	}
}

func errorOf(result int64, isNil bool) error {
	switch {
	case isNil:
		return thread.ErrNil
	case result == 0:
		return thread.ErrTerminated
	}
	return nil
}

// must is a way to call a function that panics where it does not run.
func must(call func(func())) func(func()) bool {
	return func(f func()) (ok bool) {
		defer func() {
			v := recover()
			err, _ := v.(error)
			if v != nil && !errors.Is(err, thread.ErrTerminated) && !errors.Is(err, thread.ErrNil) {
				panic(v)
			}
		}()
		call(f)
		return true
	}
}

func withContext(ctx context.Context, c thread.Caller) func(func()) bool {
	return func(f func()) bool { return c.CallContext(ctx, f) == nil }
}

func testOrder(t *testing.T, w way) {
	ends(t, func() {
		next := 0
		for i := range 1000 {
			step := func() {
				if next != i {
					t.Errorf("number %d ran when it was the turn of number %d", i, next)
				}
				next++
			}
			if i%4 > 0 {
				w.post(step)
			} else if w.call(step); next != i+1 {
				t.Errorf("%d functions had run after call %d", next, i)
			}
		}
		w.call(nop)
	})
}

// A call that is made on the thread runs at once, and nothing else. What the thread posts to itself
// runs afterwards, in order.
func testNested(t *testing.T, w way) {
	const n = 10
	ran := 0
	ends(t, func() {
		w.call(func() {
			var mu sync.Mutex
			for i := range n {
				w.post(func() {
					mu.Lock()
					defer mu.Unlock()
					if ran != i {
						t.Errorf("number %d ran when it was the turn of number %d", i, ran)
					}
					ran++
				})
				mu.Lock()
				called := false
				if w.call(func() { called = true }); !called || ran != 0 {
					t.Errorf("a nested call ran: %v, and before it %d posts", called, ran)
				}
				mu.Unlock()
			}
		})
		w.call(nop)
	})
	if ran != n {
		t.Errorf("%d of %d posts ran", ran, n)
	}
}

// inCoroutine runs f as a coroutine, on the goroutine's thread, until it ends.
func inCoroutine(f func()) {
	next, stop := iter.Pull(func(yield func(bool) bool) { f() })
	defer stop()
	next()
}

func testPanic(t *testing.T, w way) {
	other := start(t)
	for _, p := range panics {
		for name, f := range map[string]func(){
			"call":                   func() { w.call(p.f); t.Error("the call returned") },
			"nested":                 func() { w.call(func() { w.call(p.f) }) },
			"through another thread": func() { other.Call(func() { w.call(p.f) }) },
		} {
			if v := recovered(f); !p.ok(v) {
				t.Errorf("%s, %s: recovered %#v", p.name, name, v)
			}
		}
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

// exitsWith fails the test unless f ends its goroutine by Goexit.
func exitsWith(t *testing.T, what string, f func()) {
	t.Helper()
	if deferred, returned := exits(t, f); !deferred || returned {
		t.Errorf("%s: the deferred calls ran: %v, the goroutine went on: %v", what, deferred, returned)
	}
}

// Calls without a pause let other goroutines run, although there is only one P.
func testOneP(t *testing.T, w way) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	answer := make(chan bool, 1)
	for _, again := range []func(){
		func() { w.call(nop) }, func() { w.post(func() { answer <- true }); <-answer },
	} {
		ends(t, func() {
			for range 100 {
				again()
			}
			var ran atomic.Bool
			go ran.Store(true)
			go nop() // which is to run next in place of it
			for start := time.Now(); !ran.Load(); again() {
				if time.Since(start) > timeLimit/2 {
					t.Errorf("another goroutine has not run within %v", timeLimit/2)
					return
				}
			}
		})
	}
}

// What a function has captured is let go of when it has run, however it ended, or will not run.
func testLetGo(t *testing.T, w way) {
	for name, use := range map[string]func(f func()){
		"a call":  func(f func()) { w.call(f) },
		"a panic": func(f func()) { recovered(func() { w.call(func() { f(); panic("boom") }) }) },
		"a Goexit": func(f func()) {
			exits(t, func() { w.call(func() { f(); runtime.Goexit() }) })
		},
		"a post":               func(f func()) { w.post(f); w.call(nop) },
		"a post on the thread": func(f func()) { w.call(func() { w.post(f); w.call(nop) }); w.call(nop) },
	} {
		captured(t, name, use)
	}
	begun, release := make(chan bool), make(chan bool)
	captured(t, "what is refused although the thread hangs", func(f func()) {
		w.post(func() {
			w.post(f) // the thread posts to itself
			f = nil
			close(begun)
			<-release
		})
		<-begun
		w.post(func() { f() })
		w.Terminate()
	})
	close(release)
}

// A thread that always has something to run, because it posts to itself, lets other goroutines run
// although there is only one P. Counts do not depend on what else the machine does.
func TestGo_toItselfLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const each, rounds = 2 * time.Microsecond, 10
	for name, w := range both(t) {
		var n, waited int
		var again func()
		ran, rest := make(chan int, 1), rounds
		ended := make(chan bool)
		again = func() {
			for start := time.Now(); time.Since(start) < each; {
			}
			n++
			select {
			case <-ran:
				if waited += n; rest == 0 {
					close(ended)
					return
				}
				rest--
				n = 0
				go func() { ran <- 0 }()
			default:
			}
			w.post(again)
		}
		ran <- 0
		w.post(again)
		testutil.Arrives(t, ended)
		if limit := int(3 * time.Millisecond / each); waited/rounds > limit {
			t.Errorf("%s: another goroutine ran after %d functions, want %d", name, waited/rounds, limit)
		}
	}
}

// What a call costs must not depend on how much others have queued. Here each of many calls would
// have to pass over a long queue, which would take minutes; it takes a second.
func TestCall_costsTheSameBesideALongQueue(t *testing.T) {
	backlog, calls := scaled(200_000), scaled(20_000)
	flood := func(post func(func()) bool) {
		ends(t, func() { // not on the thread
			for range backlog {
				post(nop)
			}
		})
	}
	a, b, c, p, large := start(t), start(t), start(t), startPool(t, 1), startPool(t, 300)
	for name, f := range map[string]func(){
		"nested": func() {
			a.Call(func() {
				flood(a.Go)
				for range calls {
					a.Go(nop)
					a.Call(nop)
				}
			})
		},
		"a cycle": func() {
			a.Call(func() {
				flood(a.Go)
				for range calls / 10 {
					b.Call(func() { a.Call(nop); c.Call(func() { a.Call(nop) }) })
				}
			})
		},
		"a cycle through a pool": func() {
			p.Call(func() {
				flood(p.Go)
				for range calls / 10 {
					b.Call(func() { p.Call(nop) })
				}
			})
		},
		"a large pool": func() {
			for range calls {
				large.Call(func() { large.Call(nop) })
			}
		},
	} {
		t.Run(name, func(t *testing.T) { ends(t, f) })
	}
}

func TestNewPool_panicsWithoutThreads(t *testing.T) {
	for _, n := range []int{0, -1} {
		mustPanic(t, func() { thread.NewPool(n) }, fmt.Sprint(n))
	}
}
