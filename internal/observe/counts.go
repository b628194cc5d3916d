package observe

import (
	"sync/atomic"
	"time"
)

// Counts are always kept, and so must cost nothing: the thread alone changes them, by one plain
// store for each function that begins and one for each that ends. Others read single words, each of
// which only grows but for Enclosing. So what is derived from one of the words does not go back,
// and differences of two may be wrong, or negative, while the thread runs. What is derived from
// load may go back, by the time from a look at the clock to the store, or of a spin.
//
// The thread does not look at the clock for them, but where it does so for other reasons, or waits:
//
//	At    when it has last looked at the clock while it had something to do: when it was woken, when
//	      an event loop has returned, and at each tick, so the function that runs now began after it,
//	      and before 64 others
//	load  for how long it has had something to do, in one word, so that a reader sees both parts of
//	      one moment. While it waits, that is 2n for a time n in all; from a time t on, at which it
//	      gets something to do, it is 2(n-t)+1. A thread that polls its empty queue waits if that
//	      takes longer than the first looks; so does one that has ended
type Counts struct {
	Words
	At   atomic.Int64 // a time.Duration
	load atomic.Int64
}

// Words are counts of functions, not counting those that run in place. They may wrap around where a
// word has 32 bits.
type Words struct {
	Calls, Posts uint // that have begun
	Returned     uint // or have called Goexit
	Panicked     uint
	Skipped      uint // posts whose context was done when their turn came
	Dropped      uint // calls that have left the queue and did not begin

	// how many had begun and not ended when the innermost loop began, see beginLoop
	Enclosing uint
}

// Inside returns how many functions have begun and not ended: more than one if one of them serves
// or waits.
//
//threadcall:noalloc
func (w *Words) Inside() uint { return w.Calls + w.Posts - w.Returned - w.Panicked - w.Skipped }

//threadcall:noalloc
func (w *Words) Ended(panicked bool) {
	if panicked {
		w.Panicked++
	} else {
		w.Returned++
	}
}

// Works reports whether the thread has something to do, for load.
//
//threadcall:noalloc
func (c *Counts) Works() bool { return c.load.Load()&1 != 0 }

// Work says that the thread has something to do since now.
//
//threadcall:noalloc
func (c *Counts) Work(now time.Duration) {
	c.At.Store(int64(now))
	if n := c.load.Load(); n&1 == 0 {
		c.load.Store(n - int64(now)<<1 | 1)
	}
}

// Rest says that it has had nothing to do since now.
//
//threadcall:noalloc
func (c *Counts) Rest(now time.Duration) {
	if n := c.load.Load(); n&1 != 0 {
		c.load.Store((n>>1 + int64(now)) << 1)
	}
}

// Idled says that it has had nothing to do for d.
//
//threadcall:noalloc
func (c *Counts) Idled(d time.Duration) { c.load.Store(c.load.Load() - int64(d)<<1) }

// Busy returns for how long the thread has had something to do.
func (c *Counts) Busy(now time.Duration) time.Duration {
	n := c.load.Load()
	if n&1 != 0 {
		return max(0, time.Duration(n>>1)+now)
	}
	return time.Duration(n >> 1)
}
