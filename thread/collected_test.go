package thread_test

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// collected fails the test if what p refers to is not collected.
func collected[T any](t *testing.T, p weak.Pointer[T], what string) {
	t.Helper()
	eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "%s is collected", what)
}

// A goroutine that waits for a Thread or serves it keeps it.
func TestCollected_isNoThreadThatIsWaitedForOrServed(t *testing.T) {
	never := context.Background()
	evaluated := func(f func()) func() bool { return func() bool { f(); return true } }
	for name, use := range map[string]func(th *thread.Thread, f func()) bool{
		"Call":        (*thread.Thread).Call,
		"CallContext": func(th *thread.Thread, f func()) bool { return th.CallContext(never, f) == nil },
		"MustEval": func(th *thread.Thread, f func()) bool {
			return thread.MustEval(th, evaluated(f))
		},
		"Bind1V": func(th *thread.Thread, f func()) bool {
			return thread.Bind1V(th, func(f func()) bool { f(); return true })(f)
		},
		"EvalContext": func(th *thread.Thread, f func()) bool {
			ok, _ := thread.EvalContext(never, th, evaluated(f))
			return ok
		},
		"EvalContext of an error": func(th *thread.Thread, f func()) bool {
			failed, err := thread.EvalContext(never, th, func() error { f(); return nil })
			return failed == nil && err == nil
		},
		"Close": func(th *thread.Thread, f func()) bool { th.Go(f); th.Close(); return true },
	} {
		keeps(t, name, func() *thread.Thread { return thread.New() }, use)
	}
	for name, serve := range map[string]func(l *thread.Loop){
		"Serve":        func(l *thread.Loop) { l.Serve(0) },
		"Wait":         func(l *thread.Loop) { l.OnWake(nop); l.Wait(nop) },
		"Close, on it": (*thread.Loop).Close,
		"ServeContext": func(l *thread.Loop) {
			ctx, cancel := context.WithCancel(context.Background())
			l.Thread().Go(cancel)
			_ = l.ServeContext(ctx)
		},
	} {
		keeps(t, name, func() *thread.Loop { return thread.Adopt() },
			func(l *thread.Loop, f func()) bool {
				l.Thread().Go(f)
				end := weak.Make(l)
				serve(l)
				if l := end.Value(); l != nil {
					l.Close()
				}
				return true
			})
	}
	for name, use := range map[string]func(p *thread.Pool, f func()) bool{
		"Pool.Call":        (*thread.Pool).Call,
		"Pool.CallContext": func(p *thread.Pool, f func()) bool { return p.CallContext(never, f) == nil },
		"MustEval": func(p *thread.Pool, f func()) bool {
			return thread.MustEval(p, evaluated(f))
		},
		"EvalContext of an error": func(p *thread.Pool, f func()) bool {
			failed, err := thread.EvalContext(never, p, func() error { f(); return nil })
			return failed == nil && err == nil
		},
		"Pool.Close": func(p *thread.Pool, f func()) bool { p.Go(f); p.Close(); return true },
	} {
		keeps(t, name, func() *thread.Pool { return thread.NewPool(1) }, use)
	}
}

// keeps fails the test unless what is made lives while it is used, with a function that runs the
// collector.
func keeps[T any](t *testing.T, name string, make func() *T, use func(th *T, f func()) bool) {
	t.Helper()
	ends(t, func() {
		var handle weak.Pointer[T]
		ran := false
		th := make()
		handle = weak.Make(th)
		ok := use(th, func() {
			ran = true
			for range 3 {
				runtime.GC()
			}
			if handle.Value() == nil {
				t.Errorf("%s: collected while it is used", name)
			}
		})
		if !ok || !ran {
			t.Errorf("%s: the function did not run", name)
		}
	})
}

// Of the functions that options take, those of WithStop and WithPanicHandler alone keep the Thread
// or Pool that they refer to until it is terminated, whatever other options there are.
func TestCollected_isNoThreadToWhichItsStopFunctionRefers(t *testing.T) {
	for name, begin := range makers {
		for with := range 1 << 4 {
			done := func() <-chan struct{} {
				var h runner
				var opts []thread.Option
				for i, o := range []thread.Option{
					thread.WithSlowCall(time.Hour, func(thread.SlowCall) { h.Stats() }),
					thread.WithStart(func() error { runtime.KeepAlive(&h); return nil }),
					thread.WithStop(nop), thread.WithKeep(),
				} {
					if with>>i&1 == 1 {
						opts = append(opts, o)
					}
				}
				h, _ = begin(opts...)
				return h.Done()
			}()
			eventually(t, func() bool { return collectedAndEnded(done) },
				"%s with options %04b ends", name, with)
		}
	}
}

// The function of a panic handler does not keep a thread or pool that has ended.
func TestCollected_isAnEndedThreadToWhichItsPanicHandlerRefers(t *testing.T) {
	for name, begin := range makers {
		of := func() weak.Pointer[runner] {
			h := new(runner)
			*h, _ = begin(thread.WithPanicHandler(func(*thread.PanicError) { (*h).Stats() }))
			(*h).Close()
			return weak.Make(h)
		}()
		collected(t, of, name)
	}
}

// Nor does the function of OnWake, whatever the thread does when it is terminated.
func TestCollected_isAnEndedThreadToWhichItsOnWakeRefers(t *testing.T) {
	for name, end := range map[string]func(l *thread.Loop, th *thread.Thread){
		"at rest":         func(_ *thread.Loop, th *thread.Thread) { th.Terminate() },
		"while it serves": func(l *thread.Loop, th *thread.Thread) { th.Go(th.Terminate); l.Serve(0) },
	} {
		var of weak.Pointer[thread.Thread]
		ends(t, func() {
			l := thread.Adopt()
			th := l.Thread()
			l.OnWake(func() { th.Stats() })
			end(l, th)
			of = weak.Make(th)
		})
		collected(t, of, "what was terminated "+name)
	}
}

// A Thread or Pool that was dropped ends, whatever it keeps for its users that refers to it.
func TestCollected_isADroppedThread(t *testing.T) {
	for name, use := range map[string]func(th *thread.Thread){
		"parked": func(th *thread.Thread) { th.Call(nop); time.Sleep(10 * time.Millisecond) },
		"an OnSlowCall callback": func(th *thread.Thread) {
			th.OnSlowCall(time.Millisecond, func(thread.SlowCall) { th.Go(nop) })
			th.Call(nop)
		},
		"a callback that was told": func(th *thread.Thread) {
			told := make(chan bool)
			tell := sync.OnceFunc(func() { close(told) }) // it may have waited and run for long
			th.OnSlowCall(time.Millisecond, func(thread.SlowCall) { th.Go(nop); tell() })
			th.Call(func() { <-told })
		},
		"a panic that was not taken": func(th *thread.Thread) {
			th.Go(func() { panic(th) })
			th.Call(nop)
		},
		"a Local": func(th *thread.Thread) {
			var l thread.Local[*thread.Thread]
			l.Set(th, th)
		},
		"a Goexit in MustEval": func(th *thread.Thread) { // whose frames stay on the thread's stack
			var all testutil.Group
			all.Go(func() {
				thread.MustEval(th, func() int {
					if th.On() {
						runtime.Goexit()
					}
					return 0
				})
			})
			all.Wait()
		},
		"a Goexit in MustEval of an error": func(th *thread.Thread) { // likewise
			var all testutil.Group
			all.Go(func() {
				thread.MustEval(th, func() error {
					if th.On() {
						runtime.Goexit()
					}
					return nil
				})
			})
			all.Wait()
		},
		"a coalesced function that refers to it": func(th *thread.Thread) {
			post := thread.Coalesce1(th, func(th *thread.Thread) { th.Go(nop); runtime.Goexit() })
			post(th)
			th.Call(nop)
			post(th)
		},
		"a Goexit in a bound function": func(th *thread.Thread) { // likewise
			exit := thread.Bind1(th, func(th *thread.Thread) {
				if th.On() {
					runtime.Goexit()
				}
			})
			var all testutil.Group
			all.Go(func() { exit(th) })
			all.Wait()
		},
		"a pool": func(*thread.Thread) {
			var p *thread.Pool
			p = thread.NewPool(2, quiet,
				thread.WithSlowCall(time.Millisecond, func(thread.SlowCall) { p.Go(nop) }))
			p.Go(func() { panic(p) })
			p.Call(nop)
			time.Sleep(10 * time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			var done []<-chan struct{} // do not keep the threads
			for range 10 {
				th := thread.New(quiet)
				done = append(done, th.Done())
				use(th)
			}
			for _, c := range done {
				eventually(t, func() bool { return collectedAndEnded(c) }, "Done is closed")
			}
			eventually(t, func() bool { runtime.GC(); return runtime.NumGoroutine() <= goroutines },
				"the threads end")
		})
	}
}

// What was queued when a Thread is dropped runs, and is told of if it is slow; its panics are
// handled.
func TestCollected_afterWhatWasQueuedHasRun(t *testing.T) {
	told := make(chan thread.SlowCall, 10)
	slow := thread.WithSlowCall(200*time.Millisecond, func(s thread.SlowCall) { told <- s })
	handled := make(chan any, 2)
	handle := thread.WithPanicHandler(func(p *thread.PanicError) { handled <- p.Value })
	th, p := thread.New(slow, handle), thread.NewPool(1, slow, handle)
	release, ran := make(chan bool), make(chan bool, 2)
	for _, post := range []func(func()) bool{th.Go, p.Go} {
		post(func() { <-release })
		post(func() { panic(errBoom) })
		post(func() { ran <- true })
	}
	of := weak.Make(th)
	th, p = nil, nil
	collected(t, of, "the Thread")
	testutil.Arrives(t, told)
	testutil.Arrives(t, told)
	close(release)
	for range 2 {
		testutil.Arrives(t, ran)
		if v := testutil.Arrives(t, handled); v != errBoom {
			t.Errorf("the handler gets %v", v)
		}
	}
}

type large [100 << 10]byte

// captured has use make a function of one that refers to a large object, and fails the test if that
// is not collected.
func captured(t *testing.T, what string, use func(f func())) {
	t.Helper()
	var p weak.Pointer[large]
	func() {
		x := new(large)
		p = weak.Make(x)
		use(func() { x[0]++ })
	}()
	collected(t, p, what)
}

// What is given up is let go although the thread hangs, and so is what is refused.
func TestLetGo_ofCallsThatWereGivenUp(t *testing.T) {
	for name, w := range contextWays(t) {
		busy := occupy(t, w.Go)
		for _, c := range []struct {
			how string
			use func(f func())
		}{
			{"timeout", func(f func()) {
				parent := context.WithValue(t.Context(), new(int), f)
				late, cancel := context.WithTimeout(parent, time.Millisecond)
				defer cancel()
				_ = w.callContext(late, f)
			}},
			{"terminated", func(f func()) { w.GoContext(t.Context(), f); w.Terminate() }},
		} {
			captured(t, name+": "+c.how, c.use)
		}
		busy.Open()
	}
}

func heap() runtime.MemStats {
	var m runtime.MemStats
	for range 4 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m
}

// What MustEval needs for a burst of calls is given back.
func TestLetGo_ofWhatABurstOfCallsNeeded(t *testing.T) {
	type result struct{ large }
	before := heap().HeapAlloc
	th := thread.New()
	busy := occupy(t, th.Go)
	var all testutil.Group
	for range 500 {
		all.Go(func() { thread.MustEval(th, func() (r result) { return r }) })
	}
	time.Sleep(20 * time.Millisecond)
	busy.Open()
	all.Wait()
	th.Terminate()
	t.Cleanup(func() {
		if t.Failed() { // once, next to other packages, it had not shrunk after 45 s
			_ = pprof.Lookup("heap").WriteTo(os.Stderr, 1)
		}
	})
	eventually(t, func() bool { return heap().HeapAlloc < before+2<<20 },
		"the heap shrinks to %d", before)
	th = start(t)
	if r := thread.MustEval(th, func() (r result) { r.large[7] = 7; return r }); r.large[7] != 7 {
		t.Error("and then a result is wrong")
	}
}

// context.AfterFunc keeps what it is given until the context ends.
func TestLetGo_ofTheThreadThatServeContextServed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var handles []weak.Pointer[thread.Thread]
	serve := func(n int) {
		ends(t, func() {
			for i := range n {
				l := thread.Adopt()
				h := l.Thread()
				if i == 0 {
					handles = append(handles, weak.Make(h))
				}
				h.Go(h.Terminate)
				if err := l.ServeContext(ctx); err != thread.ErrTerminated {
					t.Errorf("ServeContext returned %v", err)
				}
			}
		})
	}
	serve(10)
	before := heap().HeapObjects
	serve(1000)
	eventually(t, func() bool { return heap().HeapObjects < before+1500 },
		"1,000 that served are gone")
	for _, h := range handles {
		collected(t, h, "a terminated thread")
	}
	runtime.KeepAlive(ctx)
}
