package thread

import (
	"sync"

	"github.com/threadcall/threadcall/internal/freelist"
)

// A record carries f and its arguments to a thread, and the result of a call back. It does not lead
// to the Thread. What f does not have, arguments or a result, is of type none.
type record[A, B, C, R any] struct {
	f     func(A, B, C) R
	a     A
	b     B
	c     C
	r     R
	run   func()                             // p.call, made once
	posts *freelist.List[record[A, B, C, R]] // to which a post's goes before f runs; or nil
}

type none = struct{}

//threadcall:noalloc
func (p *record[A, B, C, R]) call() {
	f, a, b, c := p.f, p.a, p.b, p.c
	p.clear()        // if f calls Goexit, the frame of call refers to p as long as the thread lives
	p.r = f(a, b, c) // a post, whose record may be in use again, has no result
}

// clear forgets what is carried, and gives back the record of a post.
//
//threadcall:noalloc
func (p *record[A, B, C, R]) clear() {
	*p = record[A, B, C, R]{run: p.run, posts: p.posts}
	if p.posts != nil {
		p.posts.Put(p) //threadcall:alloc when more are queued than ever
	}
}

// A binding runs f on a thread.
type binding[A, B, C, R any] struct {
	t          *Thread
	f          func(A, B, C) R
	free       *sync.Pool // of *record[A, B, C, R]; apart, because package sync refers to it
	terminated R          // the result if f does not run
}

// bind makes a binding of f, which was made of a function that must not be nil.
func bind[A, B, C, R any](t *Thread, isNil bool, f func(A, B, C) R) *binding[A, B, C, R] {
	mustNotBeNil(isNil, "Bind, which is for a function such as (*glfw.Window).SetTitle")
	mustBeThread(t, "Bind")
	b := &binding[A, B, C, R]{t: t, f: f, free: new(sync.Pool)}
	if err, ok := any(&b.terminated).(*error); ok {
		*err = ErrTerminated
	}
	return b
}

func mustBeThread(t *Thread, function string) {
	if t == nil {
		panic("thread: " + function + " to a nil Thread; make it first, by thread.New")
	}
}

//threadcall:noalloc
func (b *binding[A, B, C, R]) call(x A, y B, z C) R {
	p, _ := b.free.Get().(*record[A, B, C, R])
	if p == nil {
		p = new(record[A, B, C, R]) //threadcall:alloc when more calls are under way than before
		p.run = p.call              //threadcall:alloc and with it
	}
	p.f, p.a, p.b, p.c = b.f, x, y, z
	r := b.terminated
	if b.t.Call(p.run) { // if f panics, p goes with it
		r = p.r
	}
	p.clear()
	b.free.Put(p)
	return r
}

// Bind1 is [Bind2], for a function with one argument.
func Bind1[A any](t *Thread, f func(A)) func(A) {
	b := bind(t, f == nil, func(a A, _, _ none) none { f(a); return none{} })
	return func(x A) { b.call(x, none{}, none{}) }
}

// Bind2 returns a function that runs f, which has two arguments, on t and returns after it. The
// digit is the number of arguments, from 1 to 3; with V, f has a result:
//
//	setTitle := thread.Bind2(t, (*glfw.Window).SetTitle) // a func(*glfw.Window, string)
//	getKey := thread.Bind2V(t, (*glfw.Window).GetKey)   // returns a glfw.Action
//
// The function makes a [Thread.Call], but without a closure for the arguments, so it allocates
// nothing. Nothing refers to arguments and results after the call. If t is terminated before f
// begins, f does not run, and the result is the zero value, or [ErrTerminated] if it is an error.
//
// Bind is for functions that are bound once: each has a pool of records. A function without
// arguments needs none: give it to [MustEval] or [Thread.Call]. The function that Bind returns may
// be called by any goroutine, and keeps t from being reclaimed.
func Bind2[A, B any](t *Thread, f func(A, B)) func(A, B) {
	b := bind(t, f == nil, func(a A, b B, _ none) none { f(a, b); return none{} })
	return func(x A, y B) { b.call(x, y, none{}) }
}

// Bind3 is [Bind2], for a function with three arguments.
func Bind3[A, B, C any](t *Thread, f func(A, B, C)) func(A, B, C) {
	b := bind(t, f == nil, func(a A, b B, c C) none { f(a, b, c); return none{} })
	return func(x A, y B, z C) { b.call(x, y, z) }
}

// Bind1V is [Bind2], for a function with one argument and a result.
func Bind1V[A, R any](t *Thread, f func(A) R) func(A) R {
	b := bind(t, f == nil, func(a A, _, _ none) R { return f(a) })
	return func(x A) R { return b.call(x, none{}, none{}) }
}

// Bind2V is [Bind2], for a function with two arguments and a result.
func Bind2V[A, B, R any](t *Thread, f func(A, B) R) func(A, B) R {
	b := bind(t, f == nil, func(a A, b B, _ none) R { return f(a, b) })
	return func(x A, y B) R { return b.call(x, y, none{}) }
}

// Bind3V is [Bind2], for a function with three arguments and a result.
func Bind3V[A, B, C, R any](t *Thread, f func(A, B, C) R) func(A, B, C) R {
	b := bind(t, f == nil, f)
	return b.call
}

// posts are those of f, a function of up to three arguments. They do not refer to the Thread.
type posts[A, B, C any] struct {
	f    func(A, B, C) none
	free freelist.List[record[A, B, C, none]]
}

//threadcall:noalloc
func (ps *posts[A, B, C]) post(t *Thread, a A, b B, c C) bool {
	p := ps.free.Get()
	if p == nil {
		p = &record[A, B, C, none]{posts: &ps.free} //threadcall:alloc when more are queued than ever
		p.run = p.call                              //threadcall:alloc and with it
	}
	p.f, p.a, p.b, p.c = ps.f, a, b, c
	ok := t.Go(p.run)
	if !ok {
		p.clear()
	}
	return ok
}

// bindGo returns a function that posts f, which was made of a function that may be nil.
func bindGo[A, B, C any](t *Thread, isNil bool, f func(A, B, C) none) func(A, B, C) bool {
	mustBeThread(t, "BindGo")
	if isNil {
		return func(A, B, C) bool { return false }
	}
	ps := &posts[A, B, C]{f: f}
	return func(a A, b B, c C) bool { return ps.post(t, a, b, c) }
}

// BindGo1 is [BindGo2], for a function with one argument.
func BindGo1[A any](t *Thread, f func(A)) (post func(A) bool) {
	p := bindGo(t, f == nil, func(a A, _, _ none) none { f(a); return none{} })
	return func(x A) bool { return p(x, none{}, none{}) }
}

// BindGo2 returns a function, post, that queues f with its two arguments on t, as [Thread.Go] does,
// and returns what Go returns. The digit is the number of arguments, from 1 to 3:
//
//	upload := thread.BindGo2(gl, (*Texture).Upload)
//	upload(texture, pixels) // gl.Go(func() { texture.Upload(pixels) })
//
// post makes no closure, so it allocates nothing unless more functions are queued than ever before.
// Order, limit and panics are those of Go. When f has returned, nothing refers to the arguments.
//
// For a nil f post returns false. BindGo is for functions that are bound once: each keeps records,
// up to 16,384. Any goroutine may call post, which keeps t from being reclaimed; a queued f does
// not. [Coalesce1] queues a function with its latest argument once.
func BindGo2[A, B any](t *Thread, f func(A, B)) (post func(A, B) bool) {
	p := bindGo(t, f == nil, func(a A, b B, _ none) none { f(a, b); return none{} })
	return func(x A, y B) bool { return p(x, y, none{}) }
}

// BindGo3 is [BindGo2], for a function with three arguments.
func BindGo3[A, B, C any](t *Thread, f func(A, B, C)) (post func(A, B, C) bool) {
	return bindGo(t, f == nil, func(a A, b B, c C) none { f(a, b, c); return none{} })
}
