package thread_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// collected fails the test if what p refers to is not collected.
func collected[T any](t *testing.T, p weak.Pointer[T], what string) {
	t.Helper()
	eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "%s is collected", what)
}

// A goroutine that serves may have the only reference to its Thread.
func TestACollectionWhileAHostServesLosesNothing(t *testing.T) {
	for name, serve := range map[string]func(h *thread.Thread, ctx context.Context) error{
		"ServeContext": (*thread.Thread).ServeContext,
		"Serve": func(h *thread.Thread, ctx context.Context) error {
			for ctx.Err() == nil {
				h.Serve()
				time.Sleep(time.Millisecond)
			}
			return ctx.Err()
		},
		"ServeContext in a call": func(h *thread.Thread, ctx context.Context) (err error) {
			h.Call(func() { err = h.ServeContext(ctx) })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ran atomic.Int32
			handle := make(chan *thread.Thread, 1)
			result := make(chan error, 1)
			go func() {
				h := thread.Adopt()
				handle <- h
				err := serve(h, ctx)
				h = nil
				result <- err
			}()
			func() {
				h := <-handle
				h.Go(func() {
					for range 5 {
						runtime.GC()
						time.Sleep(2 * time.Millisecond)
					}
				})
				for range 10 {
					h.Go(func() { ran.Add(1) })
				}
			}()
			eventually(t, func() bool { runtime.GC(); return ran.Load() == 10 || len(result) > 0 }, "what was posted runs")
			cancel()
			if err := arrives(t, result); err != context.Canceled || ran.Load() != 10 {
				t.Errorf("%d of 10 functions ran, then it returned %v", ran.Load(), err)
			}
		})
	}
}

func TestADroppedThreadThatSleepsIsReclaimed(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	func() {
		for range 20 {
			thread.New().Call(nop)
			thread.NewPool(2).Call(nop)
		}
		time.Sleep(100 * time.Millisecond) // they have nothing to do, and sleep
	}()
	eventually(t, func() bool { runtime.GC(); return runtime.NumGoroutine() <= goroutines }, "their goroutines end")
}

// What a thread keeps for its users may refer to the Thread.
func TestAThreadIsReclaimedAlthoughItKeepsWhatRefersToIt(t *testing.T) {
	for name, use := range map[string]func(th *thread.Thread){
		"an OnSlowCall callback": func(th *thread.Thread) {
			th.OnSlowCall(time.Millisecond, func(thread.SlowCall) { th.Go(nop) })
			th.Call(nop)
		},
		"a callback that was replaced": func(th *thread.Thread) {
			th.OnSlowCall(time.Millisecond, func(thread.SlowCall) { th.Go(nop) })
			th.Call(nop)
			th.OnSlowCall(time.Hour, func(thread.SlowCall) { th.Go(nop) })
		},
		"a callback that was told": func(th *thread.Thread) {
			told := make(chan bool, 1)
			th.OnSlowCall(time.Millisecond, func(thread.SlowCall) { th.Go(nop); told <- true })
			th.Call(func() { <-told })
		},
		"a panic that was not read": func(th *thread.Thread) {
			th.Go(func() { panic(th) })
			th.Call(nop)
		},
		"thread-local storage": func(th *thread.Thread) { th.SetTLS(th) },
		"a call that was withdrawn": func(th *thread.Thread) {
			begun, release := make(chan bool), make(chan bool)
			th.Go(func() { close(begun); <-release })
			<-begun
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			_ = th.CallContext(ctx, func() { th.Go(nop) })
			close(release)
		},
	} {
		t.Run(name, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			for range 20 {
				use(thread.New())
			}
			eventually(t, func() bool { runtime.GC(); return runtime.NumGoroutine() <= goroutines }, "the threads end")
		})
	}
	t.Run("a pool", func(t *testing.T) {
		goroutines := runtime.NumGoroutine()
		for range 10 {
			var p *thread.Pool
			p = thread.NewPool(2, thread.WithSlowCall(time.Millisecond, func(thread.SlowCall) { p.Go(nop) }))
			p.Go(func() { panic(p) })
			p.Call(nop)
		}
		eventually(t, func() bool { runtime.GC(); return runtime.NumGoroutine() <= goroutines }, "the threads end")
	})
}

// The frames of a function that calls Goexit stay on the thread's stack.
func TestAThreadIsReclaimedAfterAGoexitInEval(t *testing.T) {
	ended := make(chan bool)
	var handle weak.Pointer[thread.Thread]
	go func() {
		defer close(ended)
		th := thread.New()
		handle = weak.Make(th)
		thread.Eval(th, func() int {
			if th.On() {
				runtime.Goexit()
			}
			return 0
		})
	}()
	arrives(t, ended)
	collected(t, handle, "the thread")
}

func TestASlowCallIsToldAlthoughTheThreadWasDropped(t *testing.T) {
	told := make(chan thread.SlowCall, 1)
	release := make(chan bool)
	begun := make(chan bool)
	func() {
		th := thread.New(thread.WithSlowCall(200*time.Millisecond, func(s thread.SlowCall) { told <- s }))
		th.Go(func() { close(begun); <-release })
	}()
	arrives(t, begun)
	for range 5 {
		runtime.GC()
	}
	arrives(t, told)
	close(release)
}

func TestAPanicAfterTheThreadWasDroppedHarmsNothing(t *testing.T) {
	th, p := thread.New(), thread.NewPool(1)
	release, ran := make(chan bool), make(chan bool, 2)
	for _, post := range []func(func()) bool{th.Go, p.Go} {
		post(func() { <-release })
		post(func() { panic("nobody is left to ask for it") })
		post(func() { ran <- true })
	}
	handles := []weak.Pointer[thread.Thread]{weak.Make(th)}
	th, p = nil, nil
	collected(t, handles[0], "the Thread")
	close(release)
	arrives(t, ran)
	arrives(t, ran)
}

type large [100 << 10]byte

func TestAPostedFunctionIsLetGoOfWhenItHasRun(t *testing.T) {
	th, p := start(t), startPool(t, 1)
	for name, w := range map[string]struct{ post, call func(func()) bool }{
		"thread": {th.Go, th.Call},
		"pool":   {p.Go, p.Call},
		"on the thread": {
			post: func(f func()) bool { return th.Call(func() { th.Go(f) }) },
			call: th.Call,
		},
		"on the thread, before its turn": {
			post: func(f func()) bool { return th.Call(func() { th.Go(f); th.Call(nop) }) },
			call: th.Call,
		},
	} {
		var captured weak.Pointer[large]
		func() {
			x := new(large)
			captured = weak.Make(x)
			w.post(func() { x[0]++ })
		}()
		w.call(nop)
		collected(t, captured, name+": what the function captured")
	}
}

func TestACalledFunctionAndItsResultAreLetGoOf(t *testing.T) {
	th, p := start(t), startPool(t, 1)
	for name, call := range map[string]func(f func()){
		"Call":        func(f func()) { th.Call(f) },
		"CallContext": func(f func()) { _ = th.CallContext(t.Context(), f) },
		"Pool.Call":   func(f func()) { p.Call(f) },
		"Eval":        func(f func()) { thread.Eval(th, func() *int { f(); return nil }) },
		"a panic":     func(f func()) { recovered(func() { th.Call(func() { f(); panic("boom") }) }) },
		"a Goexit":    func(f func()) { exits(t, func() { th.Call(func() { f(); runtime.Goexit() }) }) },
		"watched": func(f func()) {
			th.OnSlowCall(time.Hour, func(thread.SlowCall) {})
			th.Call(f)
			th.OnSlowCall(0, nil)
		},
	} {
		var captured weak.Pointer[large]
		func() {
			x := new(large)
			captured = weak.Make(x)
			call(func() { x[0]++ })
		}()
		collected(t, captured, name+": what the function captured")
	}
	result := weak.Make(thread.Eval(th, func() *large { return new(large) }))
	collected(t, result, "a result")
}

// A thread that hangs is what deadlines are for.
func TestACallThatWasGivenUpIsLetGoOfWhileTheThreadHangs(t *testing.T) {
	th := start(t)
	busy := occupy(t, th.Go)
	var functions, contexts []weak.Pointer[large]
	for range 20 {
		x, in := new(large), new(large)
		functions, contexts = append(functions, weak.Make(x)), append(contexts, weak.Make(in))
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), new(int), in), time.Millisecond)
		if err := th.CallContext(ctx, func() { x[0]++ }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("CallContext returned %v", err)
		}
		cancel()
	}
	for i := range functions {
		collected(t, functions[i], "a function that was given up")
		collected(t, contexts[i], "a context that was given up")
	}
	busy.Open()
	if !th.Call(nop) {
		t.Error("the thread did not recover")
	}
}

func TestWhatTerminateRefusesIsLetGoOfWhileTheThreadHangs(t *testing.T) {
	th, p := thread.New(), thread.NewPool(1)
	for name, w := range map[string]way{"thread": ofThread(th), "pool": ofPool(p)} {
		var captured [2]weak.Pointer[large]
		begun, release := make(chan bool), make(chan bool)
		func() {
			x, y := new(large), new(large)
			captured[0], captured[1] = weak.Make(x), weak.Make(y)
			w.post(func() {
				w.post(func() { y[0]++ }) // the thread posts to itself
				y = nil
				close(begun)
				<-release
			})
			<-begun
			w.post(func() { x[0]++ })
		}()
		w.terminate()
		for _, c := range captured {
			collected(t, c, name+": what a refused function captured")
		}
		close(release)
	}
}

func TestWhatEvalNeedsForABurstIsGivenBack(t *testing.T) {
	type result struct{ large }
	heap := func() uint64 {
		for range 4 {
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	th := thread.New()
	busy := occupy(t, th.Go)
	var all group.Group
	for range 500 {
		all.Go(func() { thread.Eval(th, func() (r result) { return r }) })
	}
	time.Sleep(20 * time.Millisecond)
	busy.Open()
	all.Wait()
	th.Terminate()
	eventually(t, func() bool { return heap() < before+2<<20 }, "the heap shrinks to %d", before)
	th = start(t)
	if r := thread.Eval(th, func() (r result) { r.large[7] = 7; return r }); r.large[7] != 7 {
		t.Error("and then a result is wrong")
	}
}

// context.AfterFunc keeps what it is given until the context ends.
func TestServeContextLeavesNothingWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var handles []weak.Pointer[thread.Thread]
	ends(t, func() {
		for range 10 {
			h := thread.Adopt()
			handles = append(handles, weak.Make(h))
			h.Go(h.Terminate)
			if err := h.ServeContext(ctx); err != thread.ErrTerminated {
				t.Errorf("ServeContext returned %v", err)
			}
		}
	})
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapObjects
	}
	for _, h := range handles {
		collected(t, h, "a terminated thread")
	}
	before := heap()
	ends(t, func() {
		for range 1000 {
			h := thread.Adopt()
			h.Go(h.Terminate)
			_ = h.ServeContext(ctx)
		}
	})
	eventually(t, func() bool { return heap() < before+1500 }, "1,000 that served are gone")
	runtime.KeepAlive(ctx)
}

func TestAWatchKeepsNothingOfTheCallsThatAreOver(t *testing.T) {
	told, option := slowCalls()
	th := start(t, option)
	var captured []weak.Pointer[large]
	func() {
		for range 10 {
			x := new(large)
			captured = append(captured, weak.Make(x))
			th.Call(func() { x[0]++ })
			th.Go(func() { x[0]++ })
		}
	}()
	th.Call(nop)
	for _, c := range captured {
		collected(t, c, "what a watched function captured")
	}
	noneOf(t, told, "")
}

func TestAWatchThatWasEndedIsLetGoOf(t *testing.T) {
	th := start(t)
	var captured weak.Pointer[large]
	func() {
		x := new(large)
		captured = weak.Make(x)
		th.OnSlowCall(time.Minute, func(thread.SlowCall) { x[0]++ })
	}()
	th.Call(nop)
	th.OnSlowCall(0, nil)
	th.Call(nop)
	collected(t, captured, "what the function that was told captured")
	runtime.KeepAlive(th)
}
