package thread_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// A waiter is an adopted thread whose event loop consists of Wait.
type waiter struct {
	*thread.Thread
	*eventLoop
	woken   atomic.Int32 // how often OnWake's function was called
	blocked atomic.Int32 // how often block was called
	ended   chan bool    // closed when the loop has
}

func (w *waiter) wait() { w.blocked.Add(1); <-w.events }

// waits starts a waiter, on whose thread begin runs first. The loop ends when the thread is terminated.
func waits(t *testing.T, begin func(w *waiter)) *waiter {
	w := &waiter{eventLoop: newEventLoop(), ended: make(chan bool)}
	adopted := make(chan bool)
	go func() {
		defer close(w.ended)
		w.Thread = thread.Adopt()
		w.OnWake(func() { w.woken.Add(1); w.post() })
		if begin != nil {
			begin(w)
		}
		close(adopted)
		for w.Wait(w.wait) {
		}
	}()
	testutil.Arrives(t, adopted)
	t.Cleanup(func() { w.Terminate(); testutil.Arrives(t, w.ended) })
	return w
}

func TestThread_Wait(t *testing.T) {
	for range 100 {
		w := waits(t, nil)
		var ran atomic.Int32
		ends(t, func() {
			for range 10 {
				w.Go(func() { ran.Add(1) })
				w.Call(func() { ran.Add(1) })
			}
		})
		if n := ran.Load(); n != 20 {
			t.Fatalf("%d of 20 functions ran", n)
		}
		w.Terminate()
		testutil.Arrives(t, w.ended)
	}
}

// What is queued while the thread runs something, or is between two Waits, needs no wake-up.
func TestThread_Wait_up(t *testing.T) {
	ends(t, func() {
		h := thread.Adopt()
		defer h.Terminate()
		woken, blocked, ran := 0, 0, 0
		h.OnWake(func() { woken++ })
		block := func() { blocked++ }
		post := func() {
			done := make(chan bool)
			go func() { h.Go(func() { ran++ }); close(done) }()
			<-done
		}
		h.Go(func() { post(); post() })
		woken = 0
		h.Wait(block)
		post()
		for ran < 3 {
			h.Wait(block)
		}
		if woken != blocked { // if block has not been called for a millisecond, the thread announces to itself what is queued
			t.Errorf("woken %d times, blocked %d times", woken, blocked)
		}
		woken = 0
		h.Wait(post)
		h.Wait(func() { h.Go(func() { ran++ }) }) // a callback's
		if ran != 5 || woken != 2 {
			t.Errorf("%d of 2 functions ran that were posted to a blocked thread; woken %d times, want 2", ran-3, woken)
		}
	})
}

// A function or a callback that waits itself leaves the thread as it was.
func TestThread_Wait_nested(t *testing.T) {
	modal := func(w *waiter) {
		for range 3 {
			go w.Go(nop)
			w.Wait(w.wait)
		}
	}
	serves := func(w *waiter) { w.Go(nop); w.Serve() }
	for name, inside := range map[string]func(w *waiter){
		"Wait":  modal,
		"Serve": serves,
		"ServeContext": func(w *waiter) {
			ctx, cancel := context.WithCancel(context.Background())
			w.Go(cancel)
			_ = w.ServeContext(ctx)
		},
		"a Call to another thread": func(w *waiter) { other := thread.New(); other.Call(nop); other.Terminate() },
		"a cycle":                  func(w *waiter) { other := thread.New(); other.Call(func() { w.Call(nop) }); other.Terminate() },
		"a panic in Wait": func(w *waiter) {
			defer func() { _ = recover() }()
			w.Wait(func() { panic("boom") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			inFunction := waits(t, nil)
			ends(t, func() { inFunction.Call(func() { inside(inFunction) }); inFunction.Call(nop) })

			inCallback := waits(t, func(w *waiter) {
				w.Wait(func() {
					w.events <- true
					w.wait()
					inside(w)
					w.poll()
					go w.Call(func() { w.post() })
					w.wait() // for the Call
				})
			})
			ends(t, func() { inCallback.Call(nop) })
		})
	}
}

// Native events are seen although functions are queued all the time.
func TestThread_Wait_flooded(t *testing.T) {
	ends(t, func() {
		h := thread.Adopt()
		defer h.Terminate()
		loop := newEventLoop()
		h.OnWake(loop.post)
		posts, flood := 0, func() {}
		flood = func() { posts++; h.Go(flood) }
		h.Go(flood)
		blocked := 0
		for blocked < 10 {
			h.Wait(func() { blocked++; <-loop.events })
		}
		if posts == 0 {
			t.Error("no function ran")
		}
	})
}

// Terminate ends the wait, and no wait begins after it.
func TestThread_Wait_terminated(t *testing.T) {
	for name, end := range map[string]func(w *waiter){
		"by another goroutine": func(w *waiter) { w.Terminate() },
		"by a function":        func(w *waiter) { w.Call(w.Terminate) },
		"closed":               func(w *waiter) { w.Close() },
	} {
		for range 20 {
			w := waits(t, nil)
			go end(w)
			testutil.Arrives(t, w.ended)
			if w.Call(nop) {
				t.Errorf("%s: a call to a terminated thread ran", name)
			}
		}
	}
}

// A callback of block that takes the wake-up of Terminate, as a dialog does, does not keep it from block.
func TestThread_Wait_terminated_callback(t *testing.T) {
	for name, inside := range map[string]func(w *waiter){
		"Serve": func(w *waiter) { w.Serve() },
		"Wait":  func(w *waiter) { w.Wait(w.wait) },
	} {
		t.Run(name, func(t *testing.T) {
			w := waits(t, func(w *waiter) {
				w.Wait(func() {
					go w.Terminate()
					w.wait()
					inside(w)
					w.wait()
				})
			})
			testutil.Arrives(t, w.ended)
		})
	}
}

func TestThread_Wait_elsewhere(t *testing.T) {
	w := waits(t, nil)
	mustPanic(t, func() { w.Wait(nop) }, "Wait off the thread")
}

// A panic of block is the caller's, and the thread can be reached after it.
func TestThread_Wait_panics(t *testing.T) {
	w := waits(t, func(w *waiter) { mustPanic(t, func() { w.Wait(func() { panic("boom") }) }, "boom") })
	ends(t, func() { w.Call(nop) })
}
