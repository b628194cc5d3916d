package thread

import (
	"context"
	"fmt"
	"reflect"
	"sync"
)

// A Caller, a [*Thread] or a [*Pool], is what [MustEval] and [EvalContext] run functions on.
type Caller interface {
	Call(f func()) bool
	CallContext(ctx context.Context, f func()) error
}

// EvalContext is [Thread.CallContext] on c for a function with a result: zero if f does not run. An
// error comes back with the call. Another result needs a record of its own, which takes 0.4 µs
// where a call takes 0.5.
//
//threadcall:noalloc
func EvalContext[T any](ctx context.Context, c Caller, f func() T) (T, error) {
	if f == nil {
		var zero T
		return zero, ErrNil
	}
	v, err, ok := try(ctx, c, f)
	if ok {
		return v, err
	}
	v, _ = eval(func(run func()) bool {
		err = c.CallContext(ctx, run)
		return err == nil
	}, f)
	return v, err
}

// try is the way of a function that returns an error, which needs no record for its result. If ok
// is false, it has done nothing, and the function is to take the other way.
//
//threadcall:noalloc
func try[T any](ctx context.Context, c Caller, f func() T) (v T, err error, ok bool) {
	fails, ok := any(f).(func() error)
	if !ok || fails == nil {
		return v, nil, false
	}
	var failed error
	switch c := c.(type) { // for the other way, the caller keeps c
	case *Thread:
		failed, err, ok = c.e.Try(ctx, fails)
	case *Pool:
		failed, err, ok = c.p.Try(ctx, fails)
	default:
		return v, nil, false
	}
	if failed != nil {
		*any(&v).(*error) = failed
	}
	return v, err, ok
}

// An evalCall carries a function with a result through a call of a function without one. It cannot
// be on the caller's stack, which may move while the thread writes the result.
type evalCall[T any] struct {
	f   func() T
	v   T
	run func() // b.call, made once
}

//threadcall:noalloc
func (b *evalCall[T]) call() {
	f := b.f
	b.f = nil // if f calls Goexit, the frame of call refers to b as long as the thread lives
	b.v = f()
}

// evalCalls has a pool of records for each type of result.
var evalCalls sync.Map // from reflect.Type to *sync.Pool of *evalCall[T]

//threadcall:noalloc
func eval[T any](call func(func()) bool, f func() T) (v T, ok bool) {
	if f == nil {
		return v, false
	}
	key := reflect.TypeFor[T]()
	entry, found := evalCalls.Load(key)
	if !found {
		entry, _ = evalCalls.LoadOrStore(key, new(sync.Pool)) //threadcall:alloc once for each type
	}
	free := entry.(*sync.Pool)
	b, _ := free.Get().(*evalCall[T])
	if b == nil {
		b = new(evalCall[T]) //threadcall:alloc when more calls are under way than before
		b.run = b.call       //threadcall:alloc and with it
	}
	b.f = f
	ok = call(b.run) // if f panics, b goes with it
	v = b.v
	var zero T
	b.f, b.v = nil, zero // f did not run if ok is false
	free.Put(b)
	return v, ok
}

// MustEval is [Thread.MustCall] on c for a function with a result, which it returns.
//
//threadcall:noalloc
func MustEval[T any](c Caller, f func() T) T {
	v, err, ok := try(context.Background(), c, f)
	if !ok {
		v, ok = eval(c.Call, f)
	}
	if !ok || err != nil {
		panic(refused("MustEval", c, f == nil)) //threadcall:alloc for the panic
	}
	return v
}

// MustCall is [Thread.Call] for code that cannot continue without f. Where Call returns false,
// MustCall panics, with an error that wraps [ErrTerminated], or [ErrNil] for a nil f.
//
//threadcall:noalloc
func (t *Thread) MustCall(f func()) {
	if !t.Call(f) {
		panic(refused("MustCall", t, f == nil)) //threadcall:alloc for the panic
	}
}

// MustCall is [Pool.Call], but panics where Call returns false. See [Thread.MustCall].
//
//threadcall:noalloc
func (p *Pool) MustCall(f func()) {
	if !p.Call(f) {
		panic(refused("MustCall", p, f == nil)) //threadcall:alloc for the panic
	}
}

func refused(call string, c Caller, isNil bool) error {
	on := fmt.Sprintf("a %T", c)
	if t, ok := c.(*Thread); ok {
		on = t.e.String()
	}
	if isNil {
		return fmt.Errorf("%w: %s on %s", ErrNil, call, on)
	}
	return fmt.Errorf("%w: %s on %s, and the function did not run; end the thread after its callers, "+
		"or use Call or EvalContext, which report the end", ErrTerminated, call, on)
}

// mustNotBeNil panics for a nil function where nothing that is returned could report it.
func mustNotBeNil(isNil bool, call string) {
	if isNil {
		panic(fmt.Errorf("%w: %s", ErrNil, call))
	}
}
