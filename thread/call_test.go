package thread_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// What each way to run a function does, one test for each. How they behave together is tested by
// promise_test.go and by the random programs.

func TestCall_runsOnTheThreadAndWaits(t *testing.T) {
	th := start(t)
	on := false
	if ok := th.Call(func() { on = th.On() }); !ok || !on {
		t.Errorf("Call returned %v, and the function was on the thread: %v", ok, on)
	}
}

func TestCall_runsInPlace(t *testing.T) {
	th := start(t)
	var order []string
	note := func(s string) func() { return func() { order = append(order, s) } }
	th.Call(func() {
		th.Go(note("posted"))
		th.Call(note("nested"))
		order = append(order, "outer")
	})
	th.Call(nop)
	if want := []string{"nested", "outer", "posted"}; !slices.Equal(order, want) {
		t.Errorf("ran %q, want %q", order, want)
	}
}

func TestCall_returnsFalseAfterTerminate(t *testing.T) {
	th := start(t)
	th.Terminate()
	if th.Call(func() { t.Error("the function runs") }) {
		t.Error("Call returned true")
	}
}

func TestCall_passesOnAPanic(t *testing.T) {
	th := start(t)
	if v := recovered(func() { th.Call(func() { panic(errBoom) }) }); v != errBoom {
		t.Errorf("Call panicked with %v", v)
	}
	if !th.Call(nop) {
		t.Error("the thread has ended")
	}
}

func TestCall_passesOnGoexit(t *testing.T) {
	th := start(t)
	if _, returned := exits(t, func() { th.Call(runtime.Goexit) }); returned {
		t.Error("Call returned")
	}
	if !th.Call(nop) {
		t.Error("the thread has ended")
	}
}

func TestCallContext_runsTheFunction(t *testing.T) {
	th := start(t)
	ran := false
	if err := th.CallContext(t.Context(), func() { ran = true }); err != nil || !ran {
		t.Errorf("CallContext returned %v, and the function ran: %v", err, ran)
	}
}

func TestCallContext_givesUpACallThatHasNotBegun(t *testing.T) {
	th := start(t)
	busy := occupy(t, th.Go)
	defer busy.Open()
	ctx, cancel := context.WithCancelCause(t.Context())
	result := make(chan error)
	go func() { result <- th.CallContext(ctx, func() { t.Error("the function runs") }) }()
	cancel(errBoom)
	if err := testutil.Arrives(t, result); err != errBoom {
		t.Errorf("CallContext returned %v", err)
	}
}

func TestCallContext_returnsErrTerminated(t *testing.T) {
	th := start(t)
	th.Terminate()
	if err := th.CallContext(t.Context(), nop); err != thread.ErrTerminated {
		t.Errorf("CallContext returned %v", err)
	}
}

func TestMustCall_panicsAfterTerminate(t *testing.T) {
	th, p := start(t), startPool(t, 1)
	th.MustCall(nop)
	p.MustCall(nop)
	th.Terminate()
	p.Terminate()
	for name, call := range map[string]func(){"Thread": func() { th.MustCall(nop) },
		"Pool": func() { p.MustCall(nop) }} {
		if err, _ := recovered(call).(error); !errors.Is(err, thread.ErrTerminated) {
			t.Errorf("%s: MustCall panicked with %v", name, err)
		}
	}
}

func TestEvalContext_returnsTheResultOrAnError(t *testing.T) {
	th := start(t)
	one := func() int { return 1 }
	if n, err := thread.EvalContext(t.Context(), th, one); n != 1 || err != nil {
		t.Errorf("EvalContext returned %d, %v", n, err)
	}
	th.Terminate()
	if n, err := thread.EvalContext(t.Context(), th, one); n != 0 || err != thread.ErrTerminated {
		t.Errorf("of a terminated thread EvalContext returned %d, %v", n, err)
	}
}

func TestGo_doesNotWait(t *testing.T) {
	th := start(t)
	release, ran := make(chan bool), false
	if !th.Go(func() { <-release; ran = true }) {
		t.Error("Go returned false")
	}
	close(release)
	if th.Call(nop); !ran {
		t.Error("the function did not run before a later call")
	}
}

func TestGo_returnsFalseAfterTerminate(t *testing.T) {
	th, p := start(t), startPool(t, 1)
	th.Terminate()
	p.Terminate()
	if th.Go(nop) || p.Go(nop) {
		t.Error("Go returned true")
	}
}

func TestTryGo_returnsFalseIfTheQueueIsFull(t *testing.T) {
	for name, w := range both(t, thread.WithQueueLimit(1)) {
		busy := occupy(t, w.Go)
		if !w.TryGo(nop) || w.TryGo(func() { t.Errorf("%s: a refused function ran", name) }) {
			t.Errorf("%s: a queue of 1 takes 0 functions, or 2", name)
		}
		busy.Open()
		if ends(t, w.Close); w.TryGo(nop) {
			t.Errorf("%s: TryGo returned true after Close", name)
		}
	}
}

func TestGoContext_leavesOutWhatIsDone(t *testing.T) {
	for name, w := range both(t) {
		busy := occupy(t, w.Go)
		ctx, cancel := context.WithCancelCause(t.Context())
		if err := w.GoContext(ctx, func() { t.Errorf("%s: the function runs", name) }); err != nil {
			t.Errorf("%s: GoContext returned %v", name, err)
		}
		cancel(errBoom)
		busy.Open()
		if w.Call(nop); w.GoContext(ctx, nop) != errBoom {
			t.Errorf("%s: GoContext does not return the cause of a context that is done", name)
		}
		w.Close()
		if err := w.GoContext(t.Context(), nop); err != thread.ErrTerminated {
			t.Errorf("%s: closed, GoContext returned %v", name, err)
		}
		if err := w.GoContext(ctx, nop); err != errBoom {
			t.Errorf("%s: closed and done, GoContext returned %v", name, err)
		}
	}
}

func TestCoalesce1_runsWithTheLatestArgument(t *testing.T) {
	th := start(t)
	busy := occupy(t, th.Go)
	var got []int
	post := thread.Coalesce1(th, func(i int) { got = append(got, i) })
	for i := range 3 {
		post(i)
	}
	busy.Open()
	if th.Call(nop); !slices.Equal(got, []int{2}) {
		t.Errorf("ran with %v, want 2 alone", got)
	}
}

func TestOn_isTrueOnTheThreadAlone(t *testing.T) {
	th, other := start(t), start(t)
	if !thread.MustEval(th, th.On) || thread.MustEval(other, th.On) || th.On() {
		t.Error("On is wrong")
	}
}

func TestPool_runsFunctionsSideBySide(t *testing.T) {
	p := startPool(t, 2)
	meet := make(chan bool)
	p.Go(func() { meet <- true })
	ends(t, func() { p.Call(func() { <-meet }) })
}
