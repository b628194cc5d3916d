package thread

import (
	"context"
	"fmt"
	"runtime"
)

// MustCall is [Thread.Call] for code that cannot go on without f, such as code that replaces a
// channel: where Call returns false, MustCall panics, with an error that wraps [ErrTerminated], or
// [ErrNil] for a nil f.
//
//threadcall:noalloc
func (t *Thread) MustCall(f func()) {
	if !t.e.Call(f) {
		panic(refused("MustCall", t.e, f == nil)) //threadcall:alloc for the panic
	}
	runtime.KeepAlive(t)
}

// MustCall is [Pool.Call], but panics where that returns false. See [Thread.MustCall].
//
//threadcall:noalloc
func (p *Pool) MustCall(f func()) {
	if !p.p.Call(f) {
		panic(refused("MustCall", "a pool", f == nil)) //threadcall:alloc for the panic
	}
	runtime.KeepAlive(p)
}

// MustEval runs f on c, a Thread or a Pool, and returns its result. Where f did not and will not
// run, it panics as [Thread.MustCall] does, while [Eval] returns a zero value.
//
//threadcall:noalloc
func MustEval[T any](c Caller, f func() T) T {
	var v T
	var ok bool
	var on any = "a pool"
	switch c := c.(type) {
	case *Thread:
		v, ok = eval(c.Call, f)
		on = c.e
	case *Pool:
		v, ok = eval(c.Call, f)
	default:
		v, err := EvalContext(context.Background(), c, f)
		if err != nil {
			panic(fmt.Errorf("thread: MustEval: %w", err)) //threadcall:alloc for the panic
		}
		return v
	}
	if !ok {
		panic(refused("MustEval", on, f == nil)) //threadcall:alloc for the panic
	}
	return v
}

// refused returns the error of a function that does not run.
func refused(call string, on any, isNil bool) error {
	if isNil {
		return fmt.Errorf("%w: %s on %v", ErrNil, call, on)
	}
	return fmt.Errorf("%w: %s on %v, and the function did not run; end the thread after its callers, "+
		"or use Call or EvalContext, which report the end", ErrTerminated, call, on)
}
