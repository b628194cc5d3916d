package thread

import "github.com/threadcall/threadcall/internal/freelist"

// A binding runs f, a function of up to three arguments and two results, on a thread. Fewer have the type none. The last
// result, which may be an error, is always S.
type binding[A, B, C, R, S any] struct {
	t          *Thread
	f          func(A, B, C) (R, S)
	free       *freelist.List[parcel[A, B, C, R, S]]
	terminated S // the last result if f does not run
}

type none = struct{}

// A parcel carries a function, its arguments and its results through a call that takes a function without. It does not
// refer to the binding, which has the Thread.
type parcel[A, B, C, R, S any] struct {
	f   func(A, B, C) (R, S)
	a   A
	b   B
	c   C
	r   R
	s   S
	run func() // p.call, made once
}

//threadcall:noalloc
func (p *parcel[A, B, C, R, S]) call() {
	f, a, b, c := p.f, p.a, p.b, p.c
	p.clear() // if f calls Goexit, the frame of call refers to the parcel as long as the thread lives
	p.r, p.s = f(a, b, c)
}

//threadcall:noalloc
func (p *parcel[A, B, C, R, S]) clear() { *p = parcel[A, B, C, R, S]{run: p.run} }

// bind makes a binding of f, which was made of a function that must not be nil.
func bind[A, B, C, R, S any](t *Thread, isNil bool, f func(A, B, C) (R, S)) *binding[A, B, C, R, S] {
	if isNil {
		panic("thread: Bind of a nil function; give it the function that is to run on the thread, " +
			"as in thread.Bind2(t, (*glfw.Window).SetTitle)")
	}
	if t == nil {
		panic("thread: Bind to a nil Thread; make it first, by thread.New")
	}
	b := &binding[A, B, C, R, S]{t: t, f: f, free: freelist.NewShrinking[parcel[A, B, C, R, S]]()}
	if err, ok := any(&b.terminated).(*error); ok {
		*err = ErrTerminated
	}
	return b
}

//threadcall:noalloc
func (b *binding[A, B, C, R, S]) call(x A, y B, z C) (r R, s S) {
	p := b.free.Get()
	if p == nil {
		p = new(parcel[A, B, C, R, S]) //threadcall:alloc when more calls are under way than ever
		p.run = p.call                 //threadcall:alloc and with it
	}
	p.f, p.a, p.b, p.c = b.f, x, y, z
	if b.t.Call(p.run) { // if f panics, the parcel goes with it
		r, s = p.r, p.s
	} else {
		s = b.terminated
	}
	p.clear()
	b.free.Put(p)
	return r, s
}

// Bind0 is [Bind2], for a function without arguments.
func Bind0(t *Thread, f func()) func() {
	b := bind(t, f == nil, func(_ none, _ none, _ none) (_, _ none) { f(); return })
	return func() { b.call(none{}, none{}, none{}) }
}

// Bind1 is [Bind2], for a function with one argument.
func Bind1[A any](t *Thread, f func(A)) func(A) {
	b := bind(t, f == nil, func(a A, _ none, _ none) (_, _ none) { f(a); return })
	return func(x A) { b.call(x, none{}, none{}) }
}

// Bind2 returns a function that runs f, which has two arguments, on t and returns after it. The digit is the number of
// arguments, from 0 to 3; with V, f has a result, and with V2 two:
//
//	setTitle := thread.Bind2(t, (*glfw.Window).SetTitle)    // a func(*glfw.Window, string) for any goroutine
//	getKey := thread.Bind2V(t, (*glfw.Window).GetKey)       // a func(*glfw.Window, glfw.Key) glfw.Action
//
// A call of the function that Bind2 returns is one of [Thread.Call]: order, visibility, panics and Goexit are as there, and on t it
// runs in place. But its arguments travel without a closure, so nothing is allocated, neither here nor where it is
// called. Nothing refers to the arguments and the results after it.
//
// If t is terminated before f begins, f does not run, and the results are zero values; but a last result of the type
// error is [ErrTerminated].
//
// Bind is for functions that are bound once: each has a free list of its own. The function keeps t from being reclaimed. Any
// goroutine may call it at any time. Bind panics if f or t is nil.
func Bind2[A, B any](t *Thread, f func(A, B)) func(A, B) {
	b := bind(t, f == nil, func(a A, b B, _ none) (_, _ none) { f(a, b); return })
	return func(x A, y B) { b.call(x, y, none{}) }
}

// Bind3 is [Bind2], for a function with three arguments.
func Bind3[A, B, C any](t *Thread, f func(A, B, C)) func(A, B, C) {
	b := bind(t, f == nil, func(a A, b B, c C) (_, _ none) { f(a, b, c); return })
	return func(x A, y B, z C) { b.call(x, y, z) }
}

// Bind0V is [Bind2], for a function with a result and no arguments.
func Bind0V[R any](t *Thread, f func() R) func() R {
	b := bind(t, f == nil, func(_ none, _ none, _ none) (_ none, r R) { r = f(); return })
	return func() (r R) { _, r = b.call(none{}, none{}, none{}); return r }
}

// Bind1V is [Bind2], for a function with one argument and a result.
func Bind1V[A, R any](t *Thread, f func(A) R) func(A) R {
	b := bind(t, f == nil, func(a A, _ none, _ none) (_ none, r R) { r = f(a); return })
	return func(x A) (r R) { _, r = b.call(x, none{}, none{}); return r }
}

// Bind2V is [Bind2], for a function with two arguments and a result.
func Bind2V[A, B, R any](t *Thread, f func(A, B) R) func(A, B) R {
	b := bind(t, f == nil, func(a A, b B, _ none) (_ none, r R) { r = f(a, b); return })
	return func(x A, y B) (r R) { _, r = b.call(x, y, none{}); return r }
}

// Bind3V is [Bind2], for a function with three arguments and a result.
func Bind3V[A, B, C, R any](t *Thread, f func(A, B, C) R) func(A, B, C) R {
	b := bind(t, f == nil, func(a A, b B, c C) (_ none, r R) { r = f(a, b, c); return })
	return func(x A, y B, z C) (r R) { _, r = b.call(x, y, z); return r }
}

// Bind0V2 is [Bind2], for a function with two results and no arguments.
func Bind0V2[R, S any](t *Thread, f func() (R, S)) func() (R, S) {
	b := bind(t, f == nil, func(_ none, _ none, _ none) (R, S) { return f() })
	return func() (R, S) { return b.call(none{}, none{}, none{}) }
}

// Bind1V2 is [Bind2], for a function with one argument and two results.
func Bind1V2[A, R, S any](t *Thread, f func(A) (R, S)) func(A) (R, S) {
	b := bind(t, f == nil, func(a A, _ none, _ none) (R, S) { return f(a) })
	return func(x A) (R, S) { return b.call(x, none{}, none{}) }
}

// Bind2V2 is [Bind2], for a function with two arguments and two results.
func Bind2V2[A, B, R, S any](t *Thread, f func(A, B) (R, S)) func(A, B) (R, S) {
	b := bind(t, f == nil, func(a A, b B, _ none) (R, S) { return f(a, b) })
	return func(x A, y B) (R, S) { return b.call(x, y, none{}) }
}

// Bind3V2 is [Bind2], for a function with three arguments and two results.
func Bind3V2[A, B, C, R, S any](t *Thread, f func(A, B, C) (R, S)) func(A, B, C) (R, S) {
	b := bind(t, f == nil, func(a A, b B, c C) (R, S) { return f(a, b, c) })
	return func(x A, y B, z C) (R, S) { return b.call(x, y, z) }
}
