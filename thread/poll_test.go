package thread_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// poll takes the event that the hook has posted without waiting for one, as a resize handler or a progress dialog does.
func (l *eventLoop) poll() {
	select {
	case <-l.events:
	default:
	}
}

// A function that the host serves takes the wake-up of a call that is queued meanwhile out of the host's event loop.
func TestAHostIsWokenAgainAfterAFunctionTookTheWakeUp(t *testing.T) {
	other := start(t)
	for name, c := range map[string]struct {
		polls func(h *thread.Thread, poll func()) // it has queued a call, and polls
		serve func(h *thread.Thread)              // nil is Serve
	}{
		"a function": {polls: func(_ *thread.Thread, poll func()) { poll() }},
		"a function that serves": {polls: func(h *thread.Thread, poll func()) {
			h.Go(poll)
			h.Serve()
		}},
		"a function that serves in a coroutine": {polls: func(h *thread.Thread, poll func()) {
			inCoroutine(func() { h.Go(poll); h.Serve() })
		}},
		"a function that panics": {polls: func(_ *thread.Thread, poll func()) { poll(); panic("boom") }},
		"a function in ServeContext": {
			polls: func(h *thread.Thread, poll func()) {
				h.Go(poll)
				ctx, cancel := context.WithCancel(context.Background())
				h.Go(cancel)
				_ = h.ServeContext(ctx)
			},
		},
		"ServeContext that panics in a function": {
			polls: func(h *thread.Thread, poll func()) {
				h.Go(poll)
				ctx, cancel := context.WithCancel(context.Background())
				h.Go(cancel)
				_ = h.ServeContext(ctx)
				panic("boom")
			},
		},
		"a function that calls another thread, and is called back": {
			polls: func(h *thread.Thread, poll func()) { other.Call(func() { h.Call(poll) }) },
		},
		"ServeContext instead of Serve": {
			polls: func(_ *thread.Thread, poll func()) { poll() },
			serve: func(h *thread.Thread) {
				ctx, cancel := context.WithCancel(context.Background())
				h.Go(cancel)
				_ = h.ServeContext(ctx)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			needsCoroutines(t)
			h, loop := adopt(t), newEventLoop()
			served := make(chan bool)
			go h.do(func() {
				h.OnWake(loop.post)
				<-loop.events
				serve := c.serve
				if serve == nil {
					serve = func(h *thread.Thread) { h.Serve() }
				}
				serve(h.Thread)
				close(served)
				for ran := 0; ran == 0; {
					<-loop.events // has the host been told?
					ran = h.Serve()
				}
			})
			late := make(chan bool, 1)
			h.Go(func() {
				c.polls(h.Thread, func() {
					queued := make(chan bool)
					go func() {
						h.Go(func() { late <- true })
						close(queued)
					}()
					<-queued
					loop.poll()
				})
			})
			arrives(t, served)
			arrives(t, late)
		})
	}
}

func TestAHostIsWokenAgainAfterAGoexitTookTheWakeUp(t *testing.T) {
	late, ended := make(chan bool, 1), make(chan bool)
	go func() {
		defer close(ended)
		loop := newEventLoop()
		h := thread.Adopt()
		defer h.Terminate()
		h.OnWake(loop.post)
		defer func() { // the host goes on, although its goroutine is doomed
			for len(late) == 0 {
				<-loop.events
				h.Serve()
			}
		}()
		h.Go(func() {
			queued := make(chan bool)
			go func() { h.Go(func() { late <- true }); close(queued) }()
			<-queued
			loop.poll()
			runtime.Goexit()
		})
		<-loop.events
		h.Serve()
	}()
	arrives(t, ended)
	arrives(t, late)
}

// Each time that something is queued while the host is not serving it is told once, and not for each call.
func TestAHostIsToldOnceUntilItServes(t *testing.T) {
	h := adopt(t)
	told := make(chan bool, 1000)
	h.OnWake(func() { told <- true })
	for round := range 10 {
		for range 20 {
			h.Go(nop)
		}
		time.Sleep(time.Millisecond)
		if n := len(told); n != 1 {
			t.Fatalf("round %d: told %d times of 20 calls", round, n)
		}
		<-told
		h.do(func() {
			if n := h.Serve(); n != 20 {
				t.Errorf("%d functions ran", n)
			}
		})
		if n := len(told); n != 0 {
			t.Fatalf("round %d: told %d times although nothing is queued", round, n)
		}
	}
	h.OnWake(nil)
	h.Go(nop)
	if len(told) != 0 {
		t.Error("told after OnWake(nil)")
	}
	h.OnWake(func() { told <- true })
	if len(told) != 1 {
		t.Errorf("OnWake told %d times of what is queued", len(told))
	}
}

func TestServeCountsTheFunctionsThatItRan(t *testing.T) {
	h := adopt(t)
	withdrawn := func() {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() { _ = h.CallContext(ctx, func() { t.Error("ran") }); close(done) }()
		time.Sleep(2 * time.Millisecond)
		cancel()
		<-done
	}
	h.Go(nop)
	withdrawn()
	h.Go(nop)
	h.do(func() {
		if n := h.Serve(); n != 2 {
			t.Errorf("Serve says %d, 2 functions ran", n)
		}
		h.Go(func() {
			h.Go(nop)
			withdrawn()
			h.Go(nop)
			h.Go(nop)
			h.Call(nop) // runs the three before their turn
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
