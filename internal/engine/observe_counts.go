package engine

import (
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
)

// counts are always kept, and so must cost nothing: the thread alone changes them, by one plain
// store for each function that begins and one for each that ends. Others read single words, see
// read, each of which only grows but for enclosing. So what is derived from one of the words does
// not go back, and differences of two may be wrong, or negative, while the thread runs. What is
// derived from load may go back, by the time from a look at the clock to the store, or of a spin.
//
// The thread does not look at the clock for them, but where it does so for other reasons, or waits:
//
//	at    when it has last looked at the clock while it had something to do: when it was woken, when
//	      an event loop has returned, and at each tick, so the function that runs now began after it,
//	      and before 64 others
//	load  for how long it has had something to do, in one word, so that a reader sees both parts of
//	      one moment. While it waits, that is 2n for a time n in all; from a time t on, at which it
//	      gets something to do, it is 2(n-t)+1. A thread that polls its empty queue waits if that
//	      takes longer than the first looks; so does one that has ended
type counts struct {
	words
	at   atomic.Int64 // a time.Duration
	load atomic.Int64
}

// words are counts of functions, not counting those that run in place. They may wrap around where a
// word has 32 bits.
type words struct {
	calls, posts uint // that have begun
	returned     uint // or have called Goexit
	panicked     uint
	skipped      uint // posts whose context was done when their turn came
	dropped      uint // calls that have left the queue and did not begin

	// how many had begun and not ended when the innermost loop began, see beginLoop
	enclosing uint
}

// inside returns how many functions have begun and not ended: more than one if one of them serves
// or waits.
//
//threadcall:noalloc
func (w *words) inside() uint { return w.calls + w.posts - w.returned - w.panicked - w.skipped }

//threadcall:noalloc
func (w *words) ended(panicked bool) {
	if panicked {
		w.panicked++
	} else {
		w.returned++
	}
}

// works reports whether the thread has something to do, for load.
//
//threadcall:noalloc
func (c *counts) works() bool { return c.load.Load()&1 != 0 }

// work says that the thread has something to do since now.
//
//threadcall:noalloc
func (c *counts) work(now time.Duration) {
	c.at.Store(int64(now))
	if n := c.load.Load(); n&1 == 0 {
		c.load.Store(n - int64(now)<<1 | 1)
	}
}

// rest says that it has had nothing to do since now.
//
//threadcall:noalloc
func (c *counts) rest(now time.Duration) {
	if n := c.load.Load(); n&1 != 0 {
		c.load.Store((n>>1 + int64(now)) << 1)
	}
}

// idled says that it has had nothing to do for d.
//
//threadcall:noalloc
func (c *counts) idled(d time.Duration) { c.load.Store(c.load.Load() - int64(d)<<1) }

// busy returns for how long the thread has had something to do.
func (c *counts) busy(now time.Duration) time.Duration {
	n := c.load.Load()
	if n&1 != 0 {
		return max(0, time.Duration(n>>1)+now)
	}
	return time.Duration(n >> 1)
}

// read returns the words, and how often the thread was woken, and found what it was to run by
// itself. It does not synchronise with the thread, for which that would have a cost.
//
//threadcall:noalloc
//go:norace
func (e *Engine) read() (w words, parked, spinning int) {
	return e.counts.words, e.idleState.sleeps, e.idleState.Found
}

// begun reports whether a function has begun in the innermost loop and has not ended.
//
//threadcall:noalloc
func (e *Engine) begun() bool {
	w, _, _ := e.read()
	return int(w.inside()-w.enclosing) > 0 // negative if one has ended while the words were read
}

// running returns how long the innermost function on the thread has run, or zero if none runs: if
// the thread waits for functions in a loop inside of it. While a native loop has the thread, a
// function runs only if it keeps the loop from what has been announced.
//
//threadcall:noalloc
func (e *Engine) running(now time.Duration) time.Duration {
	since := time.Duration(e.counts.at.Load())
	if !e.begun() {
		return 0
	}
	if e.onWake.Load() != nil {
		if e.q.Resting() {
			return 0
		}
		since = max(since, time.Duration(e.announcedAt.Load()))
	}
	return max(1, now-since)
}

// now returns the time of the clock of x, or false to a caller whose clock is another.
//
//threadcall:noalloc
func (x *target) now() (now time.Duration, ok bool) {
	return clock.Now(), x.Bubbled() == clock.InBubble()
}
