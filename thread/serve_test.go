package thread_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// Serve runs what was queued before it was called, and counts what it ran.
func TestServe_runsWhatWasQueuedBefore(t *testing.T) {
	h := adopt(t, quiet)
	ctx, cancel := context.WithCancel(t.Context())
	ran := 0
	h.GoContext(ctx, func() { t.Error("ran") })
	cancel()
	h.Go(func() { ran++; panic("still a function that ran") })
	h.Go(func() { ran++; h.Go(func() { ran += 100 }) })
	h.do(func() {
		for _, want := range []struct{ count, ran int }{{2, 2}, {1, 102}, {0, 102}} {
			if n := h.loop.Serve(0); n != want.count || ran != want.ran {
				t.Errorf("Serve returned %d, and the sum is %d; want %+v", n, ran, want)
			}
		}
	})
}

func TestServeContext_returnsTheCause(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(h *host, cancel context.CancelCauseFunc)
		want error
	}{
		"cancelled": {func(_ *host, cancel context.CancelCauseFunc) { cancel(errBoom) }, errBoom},
		"cancelled by a function": {func(h *host, cancel context.CancelCauseFunc) {
			h.Call(func() { cancel(errBoom) })
		}, errBoom},
		"terminated": {func(h *host, _ context.CancelCauseFunc) { h.Terminate() },
			thread.ErrTerminated},
	} {
		h := adopt(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		result := make(chan error, 2)
		// the second time it is done already
		go h.do(func() { result <- h.loop.ServeContext(ctx); result <- h.loop.ServeContext(ctx) })
		ran := false
		ends(t, func() { h.Call(func() { ran = true }); c.end(h, cancel) })
		for range 2 {
			if err := testutil.Arrives(t, result); err != c.want || !ran {
				t.Errorf("%s: ServeContext returned %v; a call ran: %v", name, err, ran)
			}
		}
		cancel(nil)
	}
}

func TestLoop_panicsOffTheThread(t *testing.T) {
	h, th := adopt(t), start(t)
	for name, f := range map[string]func(){
		"Serve":        func() { h.loop.Serve(0) },
		"ServeContext": func() { _ = h.loop.ServeContext(t.Context()) },
		"Wait":         func() { h.loop.Wait(nop) },
		"OnWake":       func() { h.loop.OnWake(nop) },
		"Close":        h.loop.Close,
	} {
		mustPanic(t, f, name+" of a Loop off its thread")
		th.Call(func() { mustPanic(t, f, "call it on the goroutine that called Adopt") })
	}
	if !th.Call(nop) {
		t.Error("the thread did not live on")
	}
}

// Package nativeloop serves by package access, with a function that is called before the first of
// several.
func TestAccess_servesALoop(t *testing.T) {
	ends(t, func() {
		l := thread.Adopt()
		defer l.Close()
		for n, want := range []string{"", "1", "rest 1 2"} {
			var steps []string
			for i := range n {
				l.Thread().Go(func() { steps = append(steps, strconv.Itoa(i+1)) })
			}
			ran := access.Serve(l, 0, func() { steps = append(steps, "rest") })
			if got := strings.Join(steps, " "); ran != n || got != want {
				t.Errorf("%d functions: it ran %d: %q, want %q", n, ran, got, want)
			}
		}
	})
}

// When something is queued while the host is not serving it is notified; once, as
// TestEngine_OnWake_once shows.
func TestOnWake_isCalledForWhatIsQueued(t *testing.T) {
	h := adopt(t)
	told := make(chan bool, 100)
	tell := func() { h.loop.OnWake(func() { told <- true }) }
	h.do(tell)
	for _, f := range []func(){func() { h.Go(nop) }, func() { h.do(func() { h.Go(nop) }) },
		func() { h.Call(nop) }, func() { _ = h.CallContext(t.Context(), nop) },
		func() { h.do(func() { h.loop.OnWake(nil); h.Go(nop); tell() }) },
		h.Terminate} {
		if len(told) > 0 {
			t.Error("told of nothing")
		}
		go f()
		testutil.Arrives(t, told)
		h.do(func() { h.loop.Serve(0) })
	}
}

func TestServe_keepsItsLimit(t *testing.T) {
	adopted(t, func(th *host) {
		var ran []int
		woken := 0
		th.loop.OnWake(func() { woken++ })
		post := func(n int) {
			for i := range n {
				th.Go(func() {
					ran = append(ran, i)
					for start := time.Now(); time.Since(start) < time.Millisecond; {
					}
				})
			}
		}
		post(10)
		woken = 0
		if n := th.loop.Serve(1); n != 1 || len(ran) != 1 {
			t.Errorf("without time, %d functions run, want 1", n)
		}
		if woken == 0 {
			t.Error("the event loop is not notified of what is left")
		}
		if n := th.loop.Serve(3 * time.Millisecond); n < 1 || n > 4 {
			t.Errorf("%d functions of 1 ms run in 3 ms", n)
		}
		done := len(ran)
		if n := th.loop.Serve(time.Hour); n != 10-done || !slices.IsSorted(ran) {
			t.Errorf("%d functions run, want the other %d; the order is %v", n, 10-done, ran)
		}
		if n := th.loop.Serve(time.Hour); n != 0 {
			t.Errorf("%d functions run, and none is queued", n)
		}
	})
}

// adopted runs f on a thread that it adopts.
func adopted(t *testing.T, f func(*host)) {
	t.Helper()
	ends(t, func() {
		h := hostOf(thread.Adopt())
		defer h.loop.Close()
		f(h)
	})
}

// A waiter is an adopted thread whose event loop consists of Wait.
type waiter struct {
	*host
	events chan bool
	ended  chan bool // closed when the loop has
}

func (w *waiter) wait() { <-w.events }

// waits starts a waiter, on whose thread begin runs first. The loop ends when the thread is
// terminated.
func waits(t *testing.T, begin func(w *waiter)) *waiter {
	w := &waiter{events: make(chan bool, 100), ended: make(chan bool)}
	adopted := make(chan bool)
	go func() {
		defer close(w.ended)
		w.host = hostOf(thread.Adopt())
		w.loop.OnWake(func() { w.events <- true })
		if begin != nil {
			begin(w)
		}
		close(adopted)
		for w.loop.Wait(w.wait) {
		}
	}()
	testutil.Arrives(t, adopted)
	t.Cleanup(func() { w.Terminate(); testutil.Arrives(t, w.ended) })
	return w
}

func TestWait_callsRunInPlace(t *testing.T) { testNested(t, wayOf(waits(t, nil).Thread)) }

// What is queued while the thread runs something, or is between two Waits, needs no wake-up.
func TestWait_isNotWokenBetweenWaits(t *testing.T) {
	adopted(t, func(h *host) {
		woken, blocked, ran := 0, 0, 0
		h.loop.OnWake(func() { woken++ })
		block := func() { blocked++ }
		post := func() {
			done := make(chan bool)
			go func() { h.Go(func() { ran++ }); close(done) }()
			<-done
		}
		h.Go(func() { post(); post() })
		woken = 0
		h.loop.Wait(block)
		post()
		for ran < 3 {
			h.loop.Wait(block)
		}
		// if block has not been called for a millisecond, the thread announces to itself what is queued
		if woken != blocked {
			t.Errorf("woken %d times, blocked %d times", woken, blocked)
		}
		woken = 0
		h.loop.Wait(post)
		h.loop.Wait(func() { h.Go(func() { ran++ }) }) // a callback's
		if ran != 5 || woken != 2 {
			t.Errorf("%d of 2 functions ran that were posted to a blocked thread; woken %d times, want 2",
				ran-3, woken)
		}
	})
}

// Package nativeloop restores what OnWake has set before.
func TestOnWake_isKnownToNativeloop(t *testing.T) {
	adopted(t, func(h *host) {
		before := access.WakeOf(h.loop)
		woken := false
		h.loop.OnWake(func() { woken = true })
		if f := access.WakeOf(h.loop); before != nil || f == nil {
			t.Errorf("set before: %v, after: %v", before != nil, f != nil)
		} else if f(); !woken {
			t.Error("it is another function")
		}
		if h.loop.OnWake(nil); access.WakeOf(h.loop) != nil {
			t.Error("it is still set")
		}
	})
}

// Nothing would end a wait without the function of OnWake.
func TestWait_panicsWithoutOnWake(t *testing.T) {
	adopted(t, func(h *host) {
		blocks := func() { t.Error("it waits") }
		mustPanic(t, func() { h.loop.Wait(blocks) }, "call OnWake first")
		h.loop.OnWake(nop)
		h.loop.Wait(nop)
		h.loop.OnWake(nil)
		h.Go(nop)
		mustPanic(t, func() { h.loop.Wait(blocks) }, "call OnWake first")
		if n := h.loop.Serve(0); n != 1 {
			t.Errorf("then %d functions run, want 1", n)
		}
		h.loop.OnWake(nop)
		for range scaled(500) { // Terminate takes the function away
			go h.Terminate()
			for h.loop.Wait(nop) {
			}
			h.loop.Close()
			h.loop = thread.Adopt()
			h.Thread = h.loop.Thread()
			h.loop.OnWake(nop)
		}
	})
}

// After a Wait, a Serve has what comes later call the function of OnWake, because the loop waits
// elsewhere; so does a function in ServeContext that has called Wait.
func TestWait_letsTheLoopWaitElsewhere(t *testing.T) {
	for name, serve := range map[string]func(h *host, elsewhere func()){
		"after Serve": func(h *host, elsewhere func()) {
			h.loop.Wait(nop)
			h.loop.Serve(0)
			elsewhere()
		},
		"in a function of ServeContext": func(h *host, elsewhere func()) {
			ctx, cancel := context.WithCancel(context.Background())
			h.Go(func() {
				h.loop.Wait(nop)
				h.Go(func() { defer cancel(); elsewhere() })
			})
			_ = h.loop.ServeContext(ctx)
		},
	} {
		adopted(t, func(h *host) {
			woken := make(chan bool, 10)
			h.loop.OnWake(func() { woken <- true })
			serve(h, func() {
				for len(woken) > 0 {
					<-woken
				}
				go h.Call(nop)
				if !testutil.Arrives(t, woken) {
					t.Errorf("%s: not woken", name)
				}
			})
		})
	}
}

// Native events are seen although functions are queued all the time.
func TestWait_seesNativeEventsInAFlood(t *testing.T) {
	adopted(t, func(h *host) {
		events := make(chan bool, 100)
		h.loop.OnWake(func() { events <- true })
		posts, flood := 0, func() {}
		flood = func() { posts++; h.Go(flood) }
		h.Go(flood)
		blocked := 0
		for blocked < 10 {
			h.loop.Wait(func() { blocked++; <-events })
		}
		if posts == 0 {
			t.Error("no function ran")
		}
	})
}

// Terminate ends the wait, and no wait begins after it, although a callback of block has taken its
// wake-up, as a dialog does.
func TestWait_returnsFalseAfterTerminate(t *testing.T) {
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
	for _, inside := range []func(w *waiter){
		func(w *waiter) { w.loop.Serve(0) }, func(w *waiter) { w.loop.Wait(w.wait) },
		func(w *waiter) { // for each event, until there are no more, as loops of Windows do
			for w.loop.Serve(0); len(w.events) > 0; w.loop.Serve(0) {
				w.wait()
			}
			w.events <- true
		},
	} {
		w := waits(t, func(w *waiter) {
			w.loop.Wait(func() {
				go w.Terminate()
				w.wait()
				inside(w)
				w.wait()
			})
		})
		testutil.Arrives(t, w.ended)
	}
}

// A host that takes the event of the end, and looks at Done before that is closed, gets another
// when it has served, or sets OnWake: else it would wait natively for ever.
func TestServe_announcesTheEnd(t *testing.T) {
	for name, then := range map[string]func(l *thread.Loop, wake func()){
		"Serve":  func(l *thread.Loop, _ func()) { l.Serve(0) },
		"OnWake": func(l *thread.Loop, wake func()) { l.OnWake(wake) },
	} {
		ends(t, func() {
			l := thread.Adopt()
			events, gate := make(chan bool, 9), make(chan bool)
			wake := func() { events <- true }
			var first atomic.Bool
			l.OnWake(func() {
				wake()
				if first.CompareAndSwap(false, true) { // by Terminate
					<-gate
				}
			})
			var other testutil.Group
			other.Go(l.Thread().Terminate)
			<-events
			if isClosed(l.Thread().Done()) {
				t.Errorf("%s: Done is closed before the event of the end", name)
			}
			if then(l, wake); len(events) != 1 || !isClosed(l.Thread().Done()) {
				t.Errorf("%s: %d events, want 1", name, len(events))
			}
			close(gate)
			other.Wait()
			if l.Close(); len(events) != 1 {
				t.Errorf("%s: Close makes an event, perhaps after the end of the library", name)
			}
		})
	}
}

// A host that has ended its thread, which another goroutine is about to end, does not serve it.
func TestServeContext_doesNotServeAnEndedThread(t *testing.T) {
	ends(t, func() {
		l := thread.Adopt()
		events, gate := make(chan bool, 9), make(chan bool)
		l.OnWake(func() { events <- true; <-gate })
		var other testutil.Group
		other.Go(l.Thread().Terminate)
		<-events
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.ServeContext(ctx); err != thread.ErrTerminated || !isClosed(l.Thread().Done()) {
			t.Errorf("ServeContext returned %v", err)
		}
		close(gate)
		other.Wait()
	})
}

// A host that waits by itself is woken for the next function, although one that Serve has run has
// called Wait: as a dialog does.
func TestServe_isWokenAfterAWaitInside(t *testing.T) {
	ends(t, func() {
		l := thread.Adopt()
		defer l.Close()
		events := make(chan bool, 9)
		l.OnWake(func() { events <- true })
		for _, f := range []func(){func() { l.Wait(nop) }, func() { l.Wait(func() { l.Wait(nop) }) }} {
			l.Thread().Go(f)
			l.Thread().Go(nop)
			l.Serve(0)
			for len(events) > 0 {
				<-events
			}
			ends(t, func() { l.Thread().Go(nop) })
			if len(events) != 1 {
				t.Errorf("%d events for the next function, want 1", len(events))
			}
		}
	})
}
