package thread_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func TestServeRunsWhatWasQueuedAndCountsIt(t *testing.T) {
	h := adopt(t)
	h.do(func() {
		ran := 0
		again := func() {
			ran++
			h.Go(func() { ran += 100 })
		}
		for _, want := range []struct{ count, ran int }{{0, 0}, {3, 3}, {3, 303}, {0, 303}} {
			if want.ran == 3 {
				for range 3 {
					h.Go(again)
				}
			}
			if n := h.Serve(); n != want.count || ran != want.ran {
				t.Errorf("Serve returned %d after which the sum was %d; want %d and %d", n, ran, want.count, want.ran)
			}
		}
	})
}

func TestServeDoesNotCountWhatDidNotRun(t *testing.T) {
	h := adopt(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := h.CallContext(ctx, func() { t.Error("ran") }); err != context.DeadlineExceeded {
		t.Errorf("CallContext returned %v", err)
	}
	h.Go(func() { panic("still a function that ran") })
	h.do(func() {
		if n := h.Serve(); n != 1 {
			t.Errorf("Serve returned %d", n)
		}
	})
	if h.Error() == nil {
		t.Error("the panic was not kept")
	}
}

func TestServeInsideACall(t *testing.T) {
	inner := func(th *thread.Thread) {
		ran := make(chan bool, 1)
		th.Call(func() {
			go th.Call(func() { ran <- true })
			eventually(t, func() bool { return th.Serve() > 0 }, "another goroutine's call is served")
		})
		arrives(t, ran)
	}
	inner(start(t))
	h := adopt(t)
	go h.do(func() { h.ServeContext(t.Context()) })
	inner(h.Thread)
}

func TestServeContextServesUntilItsContextIsDone(t *testing.T) {
	h := adopt(t)
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go h.do(func() { result <- h.ServeContext(ctx) })
		ran := false
		ends(t, func() { h.Call(func() { ran = true }) })
		if !ran {
			t.Error("a call did not run")
		}
		cancel()
		if err := arrives(t, result); err != context.Canceled {
			t.Errorf("ServeContext returned %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	ends(t, func() {
		h.do(func() {
			if err := h.ServeContext(ctx); err != context.DeadlineExceeded {
				t.Errorf("ServeContext returned %v", err)
			}
			if err := h.ServeContext(ctx); err != context.DeadlineExceeded {
				t.Errorf("with a context that is done, ServeContext returned %v", err)
			}
		})
	})
}

func TestServeContextReturnsWhenTheThreadIsTerminated(t *testing.T) {
	for name, terminate := range map[string]func(h *host){
		"by another goroutine": func(h *host) { h.Terminate() },
		"by a function":        func(h *host) { h.Call(h.Terminate) },
	} {
		t.Run(name, func(t *testing.T) {
			h := adopt(t)
			result := make(chan error, 1)
			go h.do(func() { result <- h.ServeContext(t.Context()) })
			h.Call(nop)
			terminate(h)
			if err := arrives(t, result); err != thread.ErrTerminated {
				t.Errorf("ServeContext returned %v", err)
			}
		})
	}
}

func TestAFunctionThatWaitsMayServeOthersMeanwhile(t *testing.T) {
	inner := func(th *thread.Thread) {
		ctx, cancel := context.WithCancel(t.Context())
		ends(t, func() {
			th.Call(func() {
				go th.Call(cancel) // what the function waits for needs its thread
				if err := th.ServeContext(ctx); err != context.Canceled {
					t.Errorf("ServeContext returned %v", err)
				}
			})
		})
	}
	inner(start(t))
	h := adopt(t)
	go h.do(func() { h.ServeContext(t.Context()) })
	inner(h.Thread)
}

func TestWhatWasQueuedBehindANestedServeContextStillRuns(t *testing.T) {
	th := start(t)
	var ran atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	begun, go1 := make(chan bool), make(chan bool)
	th.Go(func() {
		close(begun)
		<-go1
		th.ServeContext(ctx)
	})
	arrives(t, begun)
	for range 10 {
		th.Go(func() { ran.Add(1) })
	}
	th.Go(cancel)
	for range 10 {
		th.Go(func() { ran.Add(1) })
	}
	close(go1)
	ends(t, func() { th.Call(nop) })
	if n := ran.Load(); n != 20 {
		t.Errorf("%d functions ran, want 20", n)
	}
}

func TestServingOffTheThreadPanicsWithAdvice(t *testing.T) {
	h, th := adopt(t), start(t)
	mustPanic(t, func() { h.Serve() }, "Serve off the thread")
	mustPanic(t, func() { h.ServeContext(t.Context()) }, "ServeContext off the thread")
	mustPanic(t, func() { th.Serve() }, "call it from")
	th.Call(func() { mustPanic(t, func() { h.Serve() }, "Adopt") })
	if !th.Call(nop) {
		t.Error("the thread did not live on")
	}
}

func TestAGoexitInServeEndsItsCallerAsWell(t *testing.T) {
	h := adopt(t)
	called := make(chan bool, 1)
	go func() {
		defer func() { called <- false }()
		h.Call(runtime.Goexit)
		called <- true
	}()
	served := false
	ends(t, func() {
		h.do(func() {
			for h.Serve() == 0 {
				runtime.Gosched()
			}
			served = true
		})
	})
	if arrives(t, called) || served {
		t.Error("a goroutine went on after its Goexit")
	}
}

func TestServeContextOutlivesAGoexitButItsGoroutineDoesNot(t *testing.T) {
	h := adopt(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool, 1)
	go h.do(func() {
		returned := false
		defer func() { ended <- returned }()
		h.ServeContext(ctx)
		returned = true
	})
	for range 100 {
		exits(t, func() { h.Call(runtime.Goexit) })
	}
	ends(t, func() {
		if !h.Call(nop) {
			t.Error("the thread does not serve any more")
		}
	})
	cancel()
	if arrives(t, ended) {
		t.Error("the goroutine went on after its Goexit")
	}
}
