package thread

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/engine"
)

// Coalesce returns a function, post, that queues f on the thread, at most once at a time. It is for
// work that is requested more often than it must be done: redrawing, progress, resizing.
//
// post never blocks, not even for [WithQueueLimit], and does not allocate. It returns true if f
// will run after it. A post that queues f is in the order of what its goroutine calls and posts.
// One that finds f queued adds nothing to the queue: f keeps the place of the post that has queued
// it, even before what the goroutine has posted since, and sees what was written before each post.
// Later calls and posts of the goroutine run after f in any case. A post in f queues f once more.
//
// post returns false if f is nil or the thread is terminated. If the thread is terminated later,
// before f begins, f does not run, and nothing reports that. A panic in f is reported as by
// [Thread.Go]. post keeps the Thread from being reclaimed; a queued f does not.
//
// [Coalesce1] is for a function with an argument. Each post is independent of others.
func (t *Thread) Coalesce(f func()) (post func() bool) {
	if f == nil {
		return func() bool { return false }
	}
	c := &coalesced[none]{f: func(none) { f() }}
	return func() bool {
		return kept(c.request(t.e), t)
	}
}

// Coalesce1 is [Thread.Coalesce] for a function with an argument. f runs with the argument of the
// latest post; of concurrent posts, any may be the latest.
func Coalesce1[A any](t *Thread, f func(A)) (post func(A) bool) {
	if f == nil {
		return func(A) bool { return false }
	}
	c := &coalesced[A]{f: f}
	return func(args A) bool {
		return kept(c.post(t.e, args), t)
	}
}

// A coalesced function is queued as the run of a turn, which does not lead to the Thread. Until one
// of the turns that are queued has begun, posts leave only arguments for it; the others do nothing.
//
// One turn would do, but for threads that wait for each other in a cycle: what such a thread calls
// may run before what others have queued, and so before a turn that another thread has queued. So
// each thread that posts has a turn of its own in the queue, which runs before what it calls.
type coalesced[A any] struct {
	f func(A)

	mu   sync.Mutex // held from when arguments are given until they are stored, in the queue
	args A
	// whose turns are in the queue and have not begun: numbers of threads, 0 for other goroutines
	posters []uintptr
	begun   uint64 // how many turns have run f
	unused  []*turn[A]

	// posters is not empty; read without mu by a post without arguments, whose compare-and-swap orders
	// what was written before it before f, as the turn swaps false for it
	queued atomic.Bool
}

// A turn is what is in the queue.
type turn[A any] struct {
	of    *coalesced[A]
	begun uint64 // of.begun when it was queued: if that has changed, the turn does nothing
	run   func() // t.call, made once
}

// request is post without arguments.
//
//threadcall:noalloc
func (c *coalesced[A]) request(e *engine.Engine) bool {
	if c.queued.CompareAndSwap(true, true) && e.From() == 0 {
		return !e.Terminated()
	}
	var zero A
	return c.post(e, zero)
}

//threadcall:noalloc
func (c *coalesced[A]) post(e *engine.Engine, args A) bool {
	if !e.Reachable() { // panics, or returns false, before c is locked
		return false
	}
	by := e.From()
	c.mu.Lock()
	if slices.Contains(c.posters, by) || by == 0 && len(c.posters) > 0 {
		ok := !e.Terminated()
		if ok {
			c.args = args
		}
		c.mu.Unlock()
		return ok
	}
	t := c.turn()
	t.begun = c.begun
	wake, ok := e.Enqueue(t.run)
	if ok {
		c.posters = append(c.posters, by) //threadcall:alloc for more threads than before
		c.queued.Store(true)
		c.args = args
	}
	c.mu.Unlock()
	e.Notify(wake) // which may run f
	return ok
}

// turn returns one that is not in the queue.
//
//threadcall:noalloc
func (c *coalesced[A]) turn() (t *turn[A]) {
	if n := len(c.unused); n > 0 {
		t = c.unused[n-1]
		c.unused = c.unused[:n-1]
		return t
	}
	t = &turn[A]{of: c} //threadcall:alloc when more are queued than before
	t.run = t.call      //threadcall:alloc and with it
	return t
}

//threadcall:noalloc
func (t *turn[A]) call() {
	c := t.of
	c.mu.Lock()
	mine := t.begun == c.begun
	args := c.args
	if mine {
		c.begun++
		c.queued.Swap(false)
		c.posters = c.posters[:0]
		var zero A
		c.args = zero
	}
	c.unused = append(c.unused, t) //threadcall:alloc when more were queued than before
	c.mu.Unlock()
	if mine {
		c.f(args)
	}
}
