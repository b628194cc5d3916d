package thread_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// A thread whose call has begun long ago has nothing that its wait needs before that: what it has
// posted meanwhile does not run inside the function that it waits for.
func TestGo_interruptsNoFunctionInACycle(t *testing.T) {
	for kind, options := range map[string][]thread.Option{
		"": nil, "with a limit": {thread.WithQueueLimit(1)},
	} {
		x, a, b := start(t), start(t, options...), start(t)
		for range 100 {
			within, bad, ran := false, false, false
			ends(t, func() {
				x.Call(func() {
					a.Call(func() {
						within = true
						b.Call(func() {
							x.Call(func() {
								a.Go(func() { bad, ran = within, true; runtime.Goexit() })
								for range 3 {
									x.Call(runtime.Gosched)
									b.Call(nop)
								}
							})
						})
						within = false
					})
				})
			})
			if a.Call(nop); bad || !ran {
				t.Fatalf("%s: a post ran inside a function: %v; it ran: %v", kind, bad, ran)
			}
		}
	}
}

// What a thread has posted to another one runs before its call to that, and what others have
// posted does not, also if the call runs in a cycle.
func TestCall_runsWhatItsThreadPostedBefore(t *testing.T) {
	for name, a := range both(t) {
		b := start(t)
		var ran []string
		note := func(s string) func() { return func() { ran = append(ran, s) } }
		ends(t, func() {
			a.call(func() {
				ends(t, func() { a.post(note("other")) })
				b.Call(func() {
					a.post(note("post 1"))
					b.Go(func() { a.post(note("later post")) })
					a.post(note("post 2"))
					a.call(note("call 1"))
					if !a.pool {
						_ = a.CallContext(context.Background(), note("call 2"))
					}
					a.post(note("post 3"))
					a.call(note("call 3"))
				})
			})
		})
		b.Call(nop)
		a.call(nop)
		want := []string{"post 1", "post 2", "call 1", "call 2", "post 3", "call 3", "other",
			"later post"}
		if a.pool {
			want = slices.Delete(want, 3, 4)
		}
		if !slices.Equal(ran, want) {
			t.Errorf("%s: ran %q, want %q", name, ran, want)
		}
	}
}

// A function that a call in a cycle must not wait for panics or exits: what is left runs in order.
func TestGoexit_inACycleLeavesTheRestInOrder(t *testing.T) {
	for name, a := range both(t) {
		b := start(t)
		var ran []string
		note := func(s string) func() { return func() { ran = append(ran, s) } }
		exitsWith(t, name, func() {
			a.call(func() {
				b.Call(func() {
					a.post(note("1"))
					a.post(runtime.Goexit)
					a.post(note("2"))
					a.call(note("3"))
				})
			})
		})
		ends(t, func() { b.Call(nop); a.call(nop) })
		if want := []string{"1", "2", "3"}; !slices.Equal(ran, want) {
			t.Errorf("%s: ran %q, want %q", name, ran, want)
		}
	}
}

// A function that exits in a cycle ends its caller's function only after what that waits for, whose
// panic it raises, as in a call in place.
func TestGoexit_inACycleRaisesThePanicOfWhatHasBegun(t *testing.T) {
	for name, a := range both(t) {
		b := start(t)
		var v any
		exitsWith(t, name, func() {
			a.call(func() {
				defer func() { v = recover() }()
				b.Call(func() {
					defer func() { panic(errBoom) }()
					a.call(runtime.Goexit)
				})
			})
		})
		if v != errBoom {
			t.Errorf("%s: recovered %v", name, v)
		}
	}
}

// A thread that calls a pool waits for the worker that runs its call, and for no other: what other
// workers want of it does not run inside the function that calls.
func TestPool_interruptsNoCaller(t *testing.T) {
	p, x := startPool(t, 2), start(t)
	for range 50 {
		within, bad := false, false
		begun, calling := make(chan bool), make(chan bool)
		var all testutil.Group
		ends(t, func() {
			all.Go(func() {
				p.Call(func() { <-begun; close(calling); x.Call(func() { bad = within }) })
			})
			x.Call(func() {
				within = true
				p.Call(func() { close(begun); <-calling; time.Sleep(time.Millisecond) })
				within = false
			})
			all.Wait()
		})
		if bad {
			t.Fatal("a call from another worker ran inside the function that calls the pool")
		}
	}
}

// The calls of a pool run on a thread that is free, and not inside the functions of threads that
// wait for the caller.
func TestPool_runsCallsOnAFreeThread(t *testing.T) {
	p, x := startPool(t, 2), start(t)
	for range 200 {
		interrupted := false
		ends(t, func() {
			p.Call(func() {
				waits := here()
				x.Call(func() { p.Call(func() { interrupted = here() == waits && waits != 0 }) })
			})
		})
		if interrupted {
			t.Fatal("a call ran inside a function that waits, beside a free thread")
		}
	}
}

// If no thread of the pool is free, and each waits for the caller, one of them runs the call.
func TestPool_runsCallsInACycleIfNoThreadIsFree(t *testing.T) {
	for n := 1; n <= 3; n++ {
		p := startPool(t, n)
		x := make([]*thread.Thread, n)
		for i := range x {
			x[i] = start(t)
		}
		var all testutil.Group
		var here sync.WaitGroup
		here.Add(n)
		var ran atomic.Int32
		ends(t, func() {
			for i := range n {
				all.Go(func() {
					p.Call(func() {
						here.Done()
						here.Wait()
						x[i].Call(func() { p.Go(nop); p.Call(func() { ran.Add(1) }) })
					})
				})
			}
			all.Wait()
		})
		if ran.Load() != int32(n) {
			t.Errorf("%d of %d calls ran", ran.Load(), n)
		}
	}
}

// Threads in a ring, each of which calls the next inside the function of the one before, round and
// round.
func TestCall_roundARing(t *testing.T) {
	for _, n := range []int{2, 3, 10, 60} {
		ring := make([]*thread.Thread, n)
		for i := range ring {
			ring[i] = start(t)
		}
		var next func(depth int)
		calls := 0
		next = func(depth int) {
			if calls++; depth > 0 {
				ring[depth%n].Call(func() { next(depth - 1) })
			}
		}
		ends(t, func() { next(4 * n) })
		if calls != 4*n+1 {
			t.Errorf("%d threads: %d calls", n, calls)
		}
	}
}

// Cycles that form, end, and are given up at the same time.
func TestCallContext_inCyclesThatEnd(t *testing.T) {
	r := testutil.Seeded(t)
	for range scaled(200) {
		ring := make([]*thread.Thread, 3)
		for i := range ring {
			ring[i] = start(t)
		}
		n := r.IntN(100)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for range n {
				runtime.Gosched()
			}
			if cancel(); n%4 == 0 {
				ring[n%3].Terminate()
			}
		}()
		var next func(depth int)
		next = func(depth int) {
			if depth > 0 {
				to := ring[depth%3]
				to.Go(nop)
				_ = to.CallContext(ctx, func() { to.Go(nop); next(depth - 1) })
				to.Call(nop)
			}
		}
		ends(t, func() { next(20) })
		cancel()
	}
}

// Waits for an end are part of cycles, too, and so are functions that are observed.
func TestClose_inACycleBesideCalls(t *testing.T) {
	for name, w := range both(t, thread.WithTimes()) {
		x, y := start(t, thread.WithTimes()), start(t)
		ran := false
		ends(t, func() {
			w.call(func() {
				x.Call(func() {
					y.Call(func() { w.post(func() { ran = true }); w.Close() })
					w.call(nop)
				})
			})
			w.Close()
		})
		if !ran {
			t.Errorf("%s: what was posted before Close did not run", name)
		}
	}
}

// Close of a pool does not wait in a function that one of its threads waits for, although another
// one of them waits in a cycle that a third thread ends.
func TestClose_inACycleBesideOneThatEnds(t *testing.T) {
	a, b, p := start(t), start(t), thread.NewPool(2)
	ends(t, func() {
		p.Call(func() {
			a.Call(func() {
				b.Call(func() {
					a.Call(func() {
						p.Go(func() { b.Call(nop) })
						eventually(t, func() bool { return b.Stats().Queued == 1 }, "the other calls b")
						p.Close()
					})
				})
			})
		})
	})
	testutil.Arrives(t, p.Done())
}

// A start function ends before any call runs, also in a cycle in which another thread can run one;
// if none can, the call runs that it needs.
func TestWithStart_endsBeforeCallsInACycle(t *testing.T) {
	for _, needs := range []bool{false, true} {
		a, b := start(t), start(t)
		gate := testutil.Occupy(t, a.Go)
		started, before, ran := false, false, false
		var x *thread.Thread
		made := make(chan bool)
		call := func() { before, ran = !started, true }
		a.Go(func() {
			x = thread.New(thread.WithStart(func() error {
				<-made
				b.Call(func() {
					if needs {
						x.Call(call)
					}
				})
				started = true
				return nil
			}))
			close(made)
			if needs {
				x.Call(nop)
			} else {
				x.Call(call)
			}
		})
		b.Go(func() { a.Call(nop) })
		eventually(t, func() bool { return a.Stats().Queued == 2 }, "b waits for a")
		gate.Open()
		ends(t, a.Close)
		ends(t, x.Close)
		if before != needs || !ran {
			t.Errorf("the start needs a call: %v; it ran: %v, before the end of the start: %v", needs, ran,
				before)
		}
	}
}
