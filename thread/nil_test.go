package thread_test

import (
	"context"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// A nil function does not run: what returns a bool returns false, what returns an error returns ErrNil.
func TestNil(t *testing.T) {
	th, p, terminated := start(t), startPool(t, 2), thread.New()
	terminated.Terminate()
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, f := range map[string]func() bool{
		"Call":             func() bool { return th.Call(nil) },
		"Call, terminated": func() bool { return terminated.Call(nil) },
		"Go":               func() bool { return th.Go(nil) },
		"Pool.Call":        func() bool { return p.Call(nil) },
		"Pool.Go":          func() bool { return p.Go(nil) },
		"Eval":             func() bool { return thread.Eval[bool](th, nil) },
	} {
		if f() || thread.Eval(th, f) {
			t.Errorf("%s: true for a nil function", name)
		}
	}
	for name, f := range map[string]func(ctx context.Context) error{
		"CallContext":             func(ctx context.Context) error { return th.CallContext(ctx, nil) },
		"CallContext, terminated": func(ctx context.Context) error { return terminated.CallContext(ctx, nil) },
		"Pool.CallContext":        func(ctx context.Context) error { return p.CallContext(ctx, nil) },
		"EvalContext":             func(ctx context.Context) error { _, err := thread.EvalContext[int](ctx, th, nil); return err },
		"EvalContext on a pool":   func(ctx context.Context) error { _, err := thread.EvalContext[int](ctx, p, nil); return err },
	} {
		for _, ctx := range []context.Context{t.Context(), done} {
			if err, on := f(ctx), thread.Eval(th, func() error { return f(ctx) }); err != thread.ErrNil || on != thread.ErrNil {
				t.Errorf("%s: returned %v, and on the thread %v", name, err, on)
			}
		}
	}
	w, h, over := waits(t, nil), adopt(t), adopt(t)
	over.do(over.Terminate)
	wait := func(th *thread.Thread) func() {
		return func() { mustPanic(t, func() { th.Wait(nil) }, "thread: Wait of a nil function") }
	}
	w.Call(wait(w.Thread))
	h.do(wait(h.Thread))
	over.do(wait(over.Thread))
	th.Call(wait(th))
	wait(th)()
	if ends(t, func() { w.Call(nop); w.Call(nop) }); h.Go(nop) {
		h.do(func() { h.Wait(nop) })
	}
	if th.TakePanic() != nil || p.TakePanic() != nil {
		t.Error("a nil function has panicked")
	}
	if !th.Call(nop) || !p.Call(nop) {
		t.Error("the thread did not live on")
	}
}
