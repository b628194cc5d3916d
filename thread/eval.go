package thread

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/freelist"
)

// Eval runs f on t and returns its result. It returns the zero value if f is nil or will not run
// because t is terminated; [EvalContext] reports which, [MustEval] panics. It is a function because
// methods have no type parameters of their own.
//
// Panics and Goexit are as in [Thread.Call].
//
//threadcall:noalloc
func Eval[T any](t *Thread, f func() T) T {
	v, _ := eval(t.Call, f)
	return v
}

// A Caller is a [*Thread] or a [*Pool].
type Caller interface {
	CallContext(ctx context.Context, f func()) error
}

// EvalContext runs f on c, a Thread or a Pool, and returns its result and nil. If f did not and
// will not run, it returns the zero value and the error of [Thread.CallContext]: [ErrNil],
// [ErrTerminated] or [context.Cause](ctx).
//
// Panics and Goexit are as in [Thread.Call].
//
//threadcall:noalloc
func EvalContext[T any](ctx context.Context, c Caller, f func() T) (T, error) {
	if f == nil {
		var zero T
		return zero, ErrNil
	}
	var err error
	v, _ := eval(func(run func()) bool {
		err = c.CallContext(ctx, run)
		return err == nil
	}, f)
	return v, err
}

// EvalPool runs f on one of p's threads and returns its result and true, or the zero value and
// false if f is nil or will not run because p is terminated. Panics and Goexit are as in
// [Thread.Call].
//
// Deprecated: use [EvalContext] or [MustEval]. EvalPool is the name that golang.design/x/thread
// gave to it.
//
//threadcall:noalloc
func EvalPool[T any](p *Pool, f func() T) (T, bool) { return eval(p.Call, f) }

// An evalCall carries a function with a result through a call that takes a function without. The
// caller cannot keep it on its stack, which may move while the thread writes the result.
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

// evalCalls has a free list for every type of result. It gives those that a burst of calls has left
// back to the collector.
var evalCalls sync.Map // from reflect.Type to *freelist.List[evalCall[T]]

//threadcall:noalloc
func eval[T any](call func(func()) bool, f func() T) (v T, ok bool) {
	if f == nil {
		return v, false
	}
	key := reflect.TypeFor[T]()
	entry, found := evalCalls.Load(key)
	if !found {
		fresh := freelist.NewShrinking[evalCall[T]]() //threadcall:alloc once for each type
		entry, _ = evalCalls.LoadOrStore(key, fresh)  //threadcall:alloc and with it
	}
	free := entry.(*freelist.List[evalCall[T]])
	b := free.Get()
	if b == nil {
		b = new(evalCall[T]) //threadcall:alloc when more calls are under way than ever
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

// MustCall is [Thread.Call] for code that cannot continue without f, such as code that replaces a
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
