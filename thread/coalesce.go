package thread

import (
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/engine"
)

// Coalesce returns a function that posts f to the thread, where it is queued at most once: "redraw
// at some time, once". It is for progress, resizing, invalidation: for what is requested more often
// than it must be done.
//
// post never blocks, [WithQueueLimit] included, and may be called from any goroutine. It returns
// true if f will run after it, because it has queued f, or because f was queued already and has not
// begun; what was written before post is visible to that run. f keeps the position of the first
// post in the order of calls. A post in f itself queues f once more.
//
// post returns false if f is nil or the thread is terminated, as [Thread.Go] does. If the thread is
// terminated later, but before f begins, f will not run, and there is no report. A panic in f is
// reported as by [Thread.Go]. post does not allocate. It keeps the Thread from being reclaimed;
// that f is queued does not.
//
// [Coalesce1] is for a function with an argument. Each call of Coalesce returns a function of its
// own, whose posts are independent of those of another.
func (t *Thread) Coalesce(f func()) (post func() bool) {
	p := coalesce(t, f == nil, func(none) { f() })
	return func() bool { return p(none{}) }
}

// Coalesce1 is [Thread.Coalesce] for a function with an argument. When f begins, it has the
// argument of the latest post; those before are dropped. Of posts at the same time, any may be the
// latest.
//
// If Close is called during several posts, one that returns false may still be the latest for the
// run that another one has queued.
func Coalesce1[A any](t *Thread, f func(A)) (post func(A) bool) { return coalesce(t, f == nil, f) }

// A coalesced function is queued as run, which does not lead to the Thread.
//
//	queued  run
//	false   is perhaps queued: a post queues it, and sets queued unless a run has begun
//	true    is queued, and has not begun since then: a post only leaves its arguments
//
// Posts at the same time may queue run more than once, which is better than to rely on another post
// that has not queued it yet: Close may come between. A run that finds no arguments does nothing.
type coalesced[A any] struct {
	f   func(A)
	run func() // c.call, made once

	mu     sync.Mutex // held while arguments are copied, but not while run is queued or runs
	args   A
	posted bool // args are those of a post
	queued bool
	begun  uint64 // runs
}

func coalesce[A any](t *Thread, isNil bool, f func(A)) (post func(A) bool) {
	if isNil {
		return func(A) bool { return false }
	}
	c := &coalesced[A]{f: f}
	c.run = c.call
	return func(args A) bool {
		ok := c.post(t.e, args)
		runtime.KeepAlive(t)
		return ok
	}
}

//threadcall:noalloc
func (c *coalesced[A]) post(e *engine.Engine, args A) bool {
	c.mu.Lock()
	c.args, c.posted = args, true
	queued, begun := c.queued, c.begun
	c.mu.Unlock()
	if !queued {
		queued = e.Post(c.run)
	} else if !e.Terminated() {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.begun != begun: // since the arguments were there
		return true
	case e.Terminated():
		c.take()
		return false
	}
	c.queued = c.queued || queued
	return c.queued // Close may have refused this post and not another one
}

// take removes and returns the arguments.
//
//threadcall:noalloc
func (c *coalesced[A]) take() (args A, posted bool) {
	var zero A
	args, posted = c.args, c.posted
	c.args, c.posted = zero, false
	return args, posted
}

//threadcall:noalloc
func (c *coalesced[A]) call() {
	c.mu.Lock()
	c.begun++
	c.queued = false
	args, posted := c.take()
	c.mu.Unlock()
	if posted {
		c.f(args)
	}
}
