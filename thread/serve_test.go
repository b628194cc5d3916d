package thread_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// Serve runs what was queued before it was called, and counts what it ran.
func TestThread_Serve(t *testing.T) {
	h := adopt(t)
	withdrawn := func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		done := make(chan bool)
		go func() { _ = h.CallContext(ctx, func() { t.Error("ran") }); close(done) }()
		<-done
	}
	h.Go(func() { panic("still a function that ran") })
	withdrawn()
	h.Go(nop)
	h.do(func() {
		if n := h.Serve(); n != 2 || h.TakePanic() == nil {
			t.Errorf("Serve says %d, 2 functions ran", n)
		}
		ran := 0
		for range 3 {
			h.Go(func() {
				ran++
				h.Go(func() { ran += 100 })
			})
		}
		for _, want := range []struct{ count, ran int }{{3, 3}, {3, 303}, {0, 303}} {
			if n := h.Serve(); n != want.count || ran != want.ran {
				t.Errorf("Serve returned %d after which the sum was %d; want %d and %d", n, ran, want.count, want.ran)
			}
		}
		h.Go(func() {
			h.Go(nop)
			withdrawn()
			h.Go(nop)
			h.Call(nop) // runs the two before their turn
			h.Go(nop)
			if n := h.Serve(); n != 1 {
				t.Errorf("inside, Serve says %d, 1 function ran", n)
			}
		})
		if n := h.Serve(); n != 1 {
			t.Errorf("then Serve says %d, 1 function ran", n)
		}
	})
}

func TestThread_ServeContext(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(h *host, cancel context.CancelCauseFunc)
		want error
	}{
		"cancelled":                       {func(_ *host, cancel context.CancelCauseFunc) { cancel(errBoom) }, errBoom},
		"cancelled by a function":         {func(h *host, cancel context.CancelCauseFunc) { h.Call(func() { cancel(errBoom) }) }, errBoom},
		"terminated by another goroutine": {func(h *host, _ context.CancelCauseFunc) { h.Terminate() }, thread.ErrTerminated},
		"terminated by a function":        {func(h *host, _ context.CancelCauseFunc) { h.Call(h.Terminate) }, thread.ErrTerminated},
	} {
		for range 10 {
			h := adopt(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			result := make(chan error, 2)
			go h.do(func() { result <- h.ServeContext(ctx); result <- h.ServeContext(ctx) }) // the second time it is done already
			ran := false
			ends(t, func() { h.Call(func() { ran = true }); c.end(h, cancel) })
			if first, second := testutil.Arrives(t, result), testutil.Arrives(t, result); first != c.want || second != c.want || !ran {
				t.Errorf("%s: ServeContext returned %v, and again %v; a call ran: %v", name, first, second, ran)
			}
			cancel(nil)
		}
	}
}

func TestThread_Serve_elsewhere(t *testing.T) {
	h, th := adopt(t), start(t)
	mustPanic(t, func() { h.Serve() }, "Serve off the thread")
	mustPanic(t, func() { _ = h.ServeContext(t.Context()) }, "ServeContext off the thread")
	mustPanic(t, func() { th.Serve() }, "call it from")
	th.Call(func() { mustPanic(t, func() { h.Serve() }, "Adopt") })
	mustPanic(t, func() { th.OnWake(nop) }, "Adopt")
	if !th.Call(nop) {
		t.Error("the thread did not live on")
	}
}

// Each time that something is queued while the host is not serving it is notified once, and not for each call.
func TestThread_OnWake(t *testing.T) {
	for name, do := range map[string]func(h *host, f func()){
		"on the thread":  (*host).do,
		"off the thread": func(_ *host, f func()) { f() },
	} {
		h := adopt(t)
		told := make(chan bool, 1000)
		wake := func() { told <- true }
		want := func(n int, when string) {
			t.Helper()
			if len(told) != n {
				t.Errorf("%s: told %d times %s, want %d", name, len(told), when, n)
			}
		}
		do(h, func() { h.OnWake(wake) })
		want(0, "of nothing")
		for range 10 {
			for range 20 {
				do(h, func() { h.Go(nop) })
			}
			want(1, "of 20 posts")
			<-told
			h.do(func() {
				if n := h.Serve(); n != 20 {
					t.Errorf("%d functions ran", n)
				}
			})
			want(0, "when nothing is queued")
		}
		do(h, func() { h.OnWake(nil) })
		h.Go(nop)
		want(0, "after OnWake(nil)")
		do(h, func() { h.OnWake(wake) })
		want(1, "of what is queued already")
		<-told
		h.do(func() { h.Serve() })
		for _, f := range []func(){func() { h.Call(nop) }, func() { _ = h.CallContext(t.Context(), nop) }, h.Terminate} {
			go f()
			testutil.Arrives(t, told)
			h.do(func() { h.Serve() })
		}
	}
}

// An eventLoop is what programs with windows have: it blocks until there is an event, and knows nothing of threads.
type eventLoop struct{ events chan bool }

func newEventLoop() *eventLoop { return &eventLoop{make(chan bool, 1)} }

func (l *eventLoop) post() {
	select {
	case l.events <- true:
	default:
	}
}

// poll takes an event without waiting for one, as a resize handler or a progress dialog does.
func (l *eventLoop) poll() {
	select {
	case <-l.events:
	default:
	}
}

// A function that the host serves takes the wake-up of a call that is queued meanwhile out of the host's event loop.
func TestThread_OnWake_taken(t *testing.T) {
	needsCoroutines(t)
	other := start(t)
	serveContext := func(h *thread.Thread) {
		ctx, cancel := context.WithCancel(context.Background())
		h.Go(cancel)
		_ = h.ServeContext(ctx)
	}
	serve := func(h *thread.Thread) { h.Serve() }
	for name, c := range map[string]struct {
		polls func(h *thread.Thread, poll func()) // it has queued a call, and polls
		serve func(h *thread.Thread)
	}{
		"a function":                 {func(_ *thread.Thread, poll func()) { poll() }, serve},
		"a function that serves":     {func(h *thread.Thread, poll func()) { h.Go(poll); h.Serve() }, serve},
		"in a coroutine":             {func(h *thread.Thread, poll func()) { inCoroutine(func() { h.Go(poll); h.Serve() }) }, serve},
		"a function that panics":     {func(_ *thread.Thread, poll func()) { poll(); panic("boom") }, serve},
		"a function in ServeContext": {func(h *thread.Thread, poll func()) { h.Go(poll); serveContext(h) }, serve},
		"ServeContext that panics":   {func(h *thread.Thread, poll func()) { h.Go(poll); serveContext(h); panic("boom") }, serve},
		"a cycle":                    {func(h *thread.Thread, poll func()) { other.Call(func() { h.Call(poll) }) }, serve},
		"ServeContext":               {func(_ *thread.Thread, poll func()) { poll() }, serveContext},
		"Goexit":                     {func(_ *thread.Thread, poll func()) { poll(); runtime.Goexit() }, serve},
	} {
		t.Run(name, func(t *testing.T) {
			loop, late, ended := newEventLoop(), make(chan bool, 1), make(chan bool)
			go func() {
				defer close(ended)
				h := thread.Adopt()
				defer h.Terminate()
				h.OnWake(loop.post)
				defer func() { // the host goes on, although its goroutine may be doomed
					for len(late) == 0 {
						<-loop.events // has the host been notified?
						h.Serve()
					}
				}()
				h.Go(func() {
					c.polls(h, func() {
						queued := make(chan bool)
						go func() { h.Go(func() { late <- true }); close(queued) }()
						<-queued
						loop.poll()
					})
				})
				<-loop.events
				c.serve(h)
			}()
			testutil.Arrives(t, ended)
			testutil.Arrives(t, late)
		})
	}
}
