package thread_test

import (
	"context"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// inCoroutine runs f as a coroutine, on the goroutine's thread, until it ends.
func inCoroutine(f func()) {
	next, stop := iter.Pull(func(yield func(bool) bool) { f() })
	defer stop()
	next()
}

// Terminate comes from elsewhere while a coroutine on the thread calls it, with a queue before it.
func TestACallFromACoroutineIsToldExactlyWhenTerminateComes(t *testing.T) {
	needsCoroutines(t)
	for name, call := range map[string]func(th *thread.Thread, f func()) bool{
		"Call":        (*thread.Thread).Call,
		"CallContext": func(th *thread.Thread, f func()) bool { return th.CallContext(t.Context(), f) == nil },
		"Go and Call": func(th *thread.Thread, f func()) bool { th.Go(nop); return th.Call(f) },
	} {
		t.Run(name, func(t *testing.T) {
			for range scaled(100) {
				th := thread.New()
				ran, told := 0, 0
				ends(t, func() {
					var all group.Group
					inside := make(chan bool)
					all.Go(func() {
						th.Call(func() {
							inCoroutine(func() {
								close(inside)
								for call(th, func() { ran++ }) {
									told++
								}
							})
						})
					})
					<-inside
					for range 5000 { // so that Terminate takes a while
						th.Go(nop)
					}
					th.Terminate()
					all.Wait()
				})
				if ran != told {
					t.Fatalf("%d functions ran, and the coroutine was told of %d", ran, told)
				}
			}
		})
	}
}

func TestACallFromACoroutineOnAPoolRunsOnTheSameThread(t *testing.T) {
	needsCoroutines(t)
	p := startPool(t, 3)
	for range 100 {
		ends(t, func() {
			p.Call(func() {
				its := here()
				inCoroutine(func() {
					if ok := p.Call(func() {
						if here() != its {
							t.Error("ran on another thread")
						}
					}); !ok {
						t.Error("told that it did not run")
					}
					if id, ok := thread.EvalPool(p, here); id != its || !ok {
						t.Error("evaluated on another thread")
					}
				})
			})
		})
	}
}

func TestACoroutineMayServe(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	ends(t, func() {
		th.Call(func() {
			inCoroutine(func() {
				ran := 0
				for range 3 {
					th.Go(func() { ran++ })
				}
				if n := th.Serve(); n != 3 || ran != 3 {
					t.Errorf("Serve says %d, %d ran", n, ran)
				}
				ctx, cancel := context.WithCancel(t.Context())
				go th.Call(cancel)
				if err := th.ServeContext(ctx); err != context.Canceled {
					t.Errorf("ServeContext returned %v", err)
				}
			})
		})
	})
}

// A coroutine is suspended in the middle of Serve, and goes on when the function that resumed it has ended.
func TestACoroutineMayBeSuspendedWhileItServes(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	var next func() (int, bool)
	var stop func()
	began, release := make(chan bool), make(chan bool)
	first := make(chan bool)
	ends(t, func() {
		th.Call(func() {
			var yield func(int) bool
			next, stop = iter.Pull(func(y func(int) bool) {
				yield = y
				go func() { close(began); first <- th.Call(func() { yield(1) }) }()
				<-began
				for th.Serve() == 0 {
					time.Sleep(time.Millisecond)
				}
				yield(2)
			})
			if n, _ := next(); n != 1 {
				t.Errorf("the coroutine gave %d", n)
			}
		})
		close(release)
		// The call that was served is under way, and the function that served it has ended.
		select {
		case <-first:
			t.Error("a call whose function is suspended has returned")
		default:
		}
		ran := false
		if !th.Call(func() { ran = true }) || !ran {
			t.Error("the thread does not serve")
		}
		th.Call(func() {
			if n, _ := next(); n != 2 {
				t.Errorf("then the coroutine gave %d", n)
			}
			stop()
		})
		if !<-first {
			t.Error("a call whose function came to its end was told otherwise")
		}
	})
}

func TestAfterAGoexitThatACoroutineHasPostedItsCallDoesNotRun(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	for name, inside := range map[string]func(f func()){
		"on the goroutine": func(f func()) { f() },
		"in a coroutine":   inCoroutine,
	} {
		for range 40 {
			later := false
			deferred, returned := exits(t, func() {
				th.Call(func() {
					inside(func() {
						th.Go(runtime.Goexit)
						th.Go(func() { later = true })
						th.Call(func() { t.Errorf("%s: ran although its caller was unwound", name) })
						t.Errorf("%s: the caller went on", name)
					})
				})
			})
			if !deferred || returned {
				t.Errorf("%s: the deferred calls ran: %v, the goroutine went on: %v", name, deferred, returned)
			}
			if !th.Call(nop) || !later {
				t.Errorf("%s: what was posted later ran: %v", name, later)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// What a coroutine calls elsewhere leads back to its thread, and what runs there yields, so that the coroutine is
// suspended while it waits for another thread.
func TestACoroutineMayBeSuspendedWhileItWaitsForAnotherThread(t *testing.T) {
	needsCoroutines(t)
	a, b := start(t), start(t)
	ends(t, func() {
		a.Call(func() {
			var order []int
			var yield func(int) bool
			next, stop := iter.Pull(func(y func(int) bool) {
				yield = y
				b.Call(func() { a.Call(func() { yield(1) }) })
				yield(2)
			})
			defer stop()
			for n, ok := next(); ok; n, ok = next() {
				order = append(order, n)
				other := 0
				b2 := start(t)
				b2.Call(func() { a.Call(func() { other++ }) }) // meanwhile the goroutine itself waits and is called back
				if other != 1 {
					t.Errorf("%d functions ran", other)
				}
			}
			if len(order) != 2 || order[0] != 1 || order[1] != 2 {
				t.Errorf("the coroutine gave %v", order)
			}
		})
	})
}

func TestACoroutinesPostsAndCallsKeepTheirOrderUnderALimit(t *testing.T) {
	needsCoroutines(t)
	th := start(t, thread.WithQueueLimit(1))
	var n atomic.Int32
	ends(t, func() {
		th.Call(func() {
			inCoroutine(func() {
				for i := range int32(100) {
					th.Go(func() {
						if !n.CompareAndSwap(2*i, 2*i+1) {
							t.Error("a post ran out of order")
						}
					})
					th.Call(func() {
						if !n.CompareAndSwap(2*i+1, 2*i+2) {
							t.Error("a call ran out of order")
						}
					})
				}
			})
		})
	})
}
