package mainthread_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// What each function does, one test for each. Package thread has the tests of the methods that they
// call.

var errBoom = errors.New("boom")

func TestThread_isTheMainThread(t *testing.T) {
	main := mainthread.Thread()
	if !thread.MustEval(main, mainthread.On) || main.On() {
		t.Error("Thread is another thread")
	}
	for name, end := range map[string]func(){"Close": main.Close, "Terminate": main.Terminate} {
		testutil.MustPanic(t, end, name+" on the main thread")
	}
}

func TestMustCall_runsOnTheMainThread(t *testing.T) {
	on := false
	if mainthread.MustCall(func() { on = mainthread.On() }); !on {
		t.Error("it ran elsewhere, or not at all")
	}
}

func TestGo_doesNotWait(t *testing.T) {
	release, ran := make(chan bool), false
	if !mainthread.Go(func() { <-release; ran = true }) {
		t.Error("Go returned false")
	}
	close(release)
	if mainthread.Call(nop); !ran {
		t.Error("the function did not run before a later call")
	}
}

func TestMustEval_returnsTheResult(t *testing.T) {
	if !mainthread.MustEval(mainthread.On) {
		t.Error("it ran elsewhere")
	}
	err, _ := recovered(func() { mainthread.MustEval[int](nil) }).(error)
	if !errors.Is(err, thread.ErrNil) {
		t.Errorf("MustEval of nil panicked with %v", err)
	}
}

func TestThread_hasAName(t *testing.T) {
	slow := make(chan thread.SlowCall, 100)
	mainthread.Thread().OnSlowCall(time.Millisecond, func(s thread.SlowCall) { slow <- s })
	defer mainthread.Thread().OnSlowCall(0, nil)
	release := make(chan bool)
	mainthread.Go(func() { <-release })
	if s := testutil.Arrives(t, slow); s.Name != "main" {
		t.Errorf("a slow call of thread %q", s.Name)
	}
	close(release)
}

func TestLoop_servesTheMainThread(t *testing.T) {
	loop := mainthread.Loop()
	for name, serve := range map[string]func(){
		"Serve": func() { loop.Serve(0) },
		"ServeContext": func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			mainthread.Go(func() { cancel(errBoom) })
			if err := loop.ServeContext(ctx); err != errBoom {
				t.Errorf("ServeContext returned %v", err)
			}
		},
		"Wait": func() {
			loop.OnWake(nop)
			defer loop.OnWake(nil)
			loop.Wait(nop)
		},
	} {
		mainthread.Call(func() {
			ran := false
			mainthread.Go(func() { ran = true })
			if serve(); !ran {
				t.Errorf("%s: the function did not run", name)
			}
		})
		testutil.MustPanic(t, func() { serve() }, "off its thread")
	}
	testutil.MustPanic(t, loop.Close, "off its thread")
	mainthread.Call(func() {
		if err := loop.Adopt(); err == nil {
			t.Error("it is adopted again")
		}
	})
}
