package thread

import (
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/engine"
)

// Coalesce returns a function, post, that queues f on the thread, at most once at a time: "redraw
// at some time, once". It is for work that is requested more often than it must be done: progress,
// resizing, invalidation.
//
// post never blocks, not even for [WithQueueLimit], and does not allocate. It returns true if f
// will run after it: because post has queued f, or because f was queued already and has not begun.
// f has the place of the first post in the order of calls, and sees what was written before each
// post. A post in f queues f once more.
//
// post returns false if f is nil or the thread is terminated. If the thread is terminated later,
// before f begins, f does not run, and nothing reports that. A panic in f is reported as by
// [Thread.Go]. post keeps the Thread from being reclaimed; a queued f does not.
//
// [Coalesce1] is for a function with an argument. Each call of Coalesce returns a post of its own,
// which is independent of others.
func (t *Thread) Coalesce(f func()) (post func() bool) {
	p := coalesce(t, f == nil, func(none) { f() })
	return func() bool { return p(none{}) }
}

// Coalesce1 is [Thread.Coalesce] for a function with an argument. f runs with the argument of the
// latest post; of concurrent posts, any may be the latest. If Close comes between concurrent posts,
// a queued run may use the argument of a post that returned false.
func Coalesce1[A any](t *Thread, f func(A)) (post func(A) bool) { return coalesce(t, f == nil, f) }

// A coalesced function is queued as run, which does not lead to the Thread.
//
//	queued  run
//	false   may be queued: a post queues it, and sets queued unless a run has begun
//	true    is queued, and has not begun since then: a post only leaves its arguments
//
// Concurrent posts may each queue run. If one relied on another that has not queued it yet, Close
// might come between. A run without arguments does nothing.
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
