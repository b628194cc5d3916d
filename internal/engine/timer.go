package engine

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/park"
)

// A Clock posts a function to its thread at given times: once, or again and again. It goes through
// these states:
//
//	state    armed  running        leaves it by
//	armed    true   -              fire, which posts the clock's run: nothing else posts it, so it is
//	                               queued at most once
//	queued   false  -              take, on the thread, which first arms the clock for the next time
//	                               after now, if it has one
//	running  -      more than 0    returned. Meanwhile the clock may be armed or queued, too
//	over     false  -              never: Stop, the end of the thread, or the only function has begun
//
// So a thread that is late gets one function, no timer runs while the function is queued, and the
// times do not drift, because each is reckoned from the start. Stop ends the clock and then waits
// until running is zero.
//
// A clock keeps the time of its thread. In a bubble of testing/synctest that is the bubble's; the
// goroutine that makes the clock is in it as well. A thread outside may be given a clock from
// inside a bubble: the thread then starts it, because a timer belongs to the bubble of the
// goroutine that makes it.
//
// A clock that is not over keeps the thread's handle alive: clocks.list refers to it, and it to the
// handle.
type Clock struct {
	e       *Engine
	times   times
	run     func()      // c.call, made once
	timer   *time.Timer // nil until started
	precise deadline    // see timer_linux.go
	slot    int         // in e.clocks.list plus one; guarded by e.clocks.mu

	mu      sync.Mutex
	fn      func() // nil when over and not running
	keep    any    // the thread's handle, until over
	armed   bool
	over    bool
	running int // more than one if fn serves, and so runs itself
	waiting []*park.Token
	start   time.Duration
	due     time.Duration // if armed
	n       int64         // the number of the next tick
	missed  int64
}

// times says when a clock is due, reckoned from its start.
type times struct {
	period time.Duration
	once   bool // only after period
}

// farAway is 73 years: what is due later than that never comes.
const farAway = math.MaxInt64 / 4

// at returns the time of tick n.
func (t times) at(n int64) time.Duration {
	if n > farAway/int64(t.period) {
		return farAway
	}
	return time.Duration(n) * t.period
}

// last returns the number of the last tick that is not later than d, given one such tick.
func (t times) last(n int64, d time.Duration) int64 {
	n = max(n, int64(d/t.period))
	for t.at(n+1) <= d && t.at(n+1) < farAway {
		n++
	}
	return n
}

// clocks are those of a thread that are not over.
type clocks struct {
	mu   sync.Mutex
	list []*Clock
}

// After returns a clock that posts fn once, after d. Keep is kept alive until fn begins or the
// clock is over for another reason.
func (e *Engine) After(d time.Duration, fn func(), keep any) *Clock {
	return e.newClock(times{period: d, once: true}, fn, keep)
}

// Every returns a clock that posts fn after each d, which is positive.
func (e *Engine) Every(d time.Duration, fn func(), keep any) *Clock {
	return e.newClock(times{period: d}, fn, keep)
}

func (e *Engine) newClock(t times, fn func(), keep any) *Clock {
	if e.bubbled {
		e.mustBeReachable()
	}
	c := &Clock{e: e, times: t, fn: fn, keep: keep, n: 1}
	c.run = c.call
	e.clocks.add(c)
	switch {
	// looked at after add, as Terminate ends the clocks after it has closed the queue
	case e.q.Closed() || e.closing.Load():
		c.cancel()
	case !e.bubbled && clock.InBubble():
		e.control(c.arm)
	default:
		c.arm()
	}
	return c
}

// arm starts the clock.
func (c *Clock) arm() {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return
	}
	now := clock.Now()
	c.start = now
	if c.times.once {
		c.due = now + min(max(c.times.period, 0), farAway)
	} else {
		c.due = now + c.times.at(1)
	}
	c.armed = true
	if c.due > now {
		c.timer = time.AfterFunc(c.due-now, c.timerFired)
		c.setDeadline()
	}
	c.mu.Unlock()
	if c.timer == nil {
		c.fire(true)
	}
}

// setDeadline has the deadline fire as well as the timer, if the clock ticks.
//
//threadcall:noalloc
func (c *Clock) setDeadline() {
	if !c.e.bubbled && !c.times.once {
		c.precise.set(c, c.due)
	}
}

//threadcall:noalloc
func (c *Clock) timerFired() { c.fire(true) }

// fire posts the function if the clock is due. It is called once too often where a timer and a
// deadline come at the same time, or one was late.
//
//threadcall:noalloc
func (c *Clock) fire(byTimer bool) {
	c.mu.Lock()
	if !c.armed {
		c.mu.Unlock()
		return
	}
	if early := c.due - clock.Now(); early > 0 {
		if byTimer {
			c.timer.Reset(early)
		}
		c.mu.Unlock()
		return
	}
	c.armed = false
	c.mu.Unlock()
	if !c.e.Post(c.run) {
		c.cancel()
	}
}

// call is what is posted.
//
//threadcall:noalloc
func (c *Clock) call() {
	fn := c.take()
	if fn == nil {
		return
	}
	defer c.returned() // also if fn panics or calls Goexit
	fn()
}

// take arms the clock for the next time, and returns the function to run now, or nil.
//
//threadcall:noalloc
func (c *Clock) take() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	c.running++
	fn := c.fn
	if c.times.once {
		c.cancelLocked()
		return fn
	}
	now := clock.Now()
	last := c.times.last(c.n, now-c.start)
	c.missed += last - c.n
	c.n = last + 1
	c.due = c.start + c.times.at(c.n)
	c.armed = true
	c.timer.Reset(c.due - now)
	c.setDeadline()
	return fn
}

// returned is called when the function has ended.
//
//threadcall:noalloc
func (c *Clock) returned() {
	c.mu.Lock()
	if c.running--; c.running == 0 {
		if c.over {
			c.fn = nil
		}
		for _, t := range c.waiting {
			t.Wake()
		}
		c.waiting = nil
	}
	c.mu.Unlock()
}

// Stop ends the clock. Its function does not run after that, or if it runs now, Stop waits for its
// end, unless the caller is on the thread, or on one that the thread waits for, directly or by way
// of others.
func (c *Clock) Stop() {
	e := c.e
	inBubble := clock.InBubble()
	if e.bubbled && !inBubble {
		e.mustBeReachable()
		return // terminated, and so over
	}
	self := threads.current()
	c.mu.Lock()
	c.cancelLocked()
	if c.running == 0 || self == e {
		c.mu.Unlock()
		return
	}
	latched := inBubble != e.bubbled
	token := park.NewToken(latched)
	c.waiting = append(c.waiting, token)
	c.mu.Unlock()
	// what is outside a bubble cannot wait for what is inside, and so in no cycle with it
	if self == nil || latched {
		token.Wait(never)
	} else {
		self.waitForPlace(nil, token.C(), nil, wait{on: e})
	}
}

// Missed returns how many ticks were due and did not run because the thread was late.
func (c *Clock) Missed() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.missed
}

// cancel ends the clock and does not wait for its function.
func (c *Clock) cancel() {
	c.mu.Lock()
	c.cancelLocked()
	c.mu.Unlock()
}

// cancelLocked is cancel for callers that hold c.mu.
func (c *Clock) cancelLocked() {
	if c.over {
		return
	}
	c.over, c.armed, c.keep = true, false, nil
	if c.timer != nil {
		c.timer.Stop()
		c.precise.end()
	}
	if c.running == 0 {
		c.fn = nil
	}
	c.e.clocks.remove(c)
}

func (l *clocks) add(c *Clock) {
	l.mu.Lock()
	l.list = append(l.list, c)
	c.slot = len(l.list)
	l.mu.Unlock()
}

func (l *clocks) remove(c *Clock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.slot == 0 {
		return
	}
	last := len(l.list) - 1
	moved := l.list[last]
	l.list[c.slot-1], moved.slot = moved, c.slot
	c.slot = 0
	l.list[last] = nil
	l.list = l.list[:last]
	if last == 0 {
		l.list = nil
	}
}

// cancel ends all clocks, when the queue has been closed.
func (l *clocks) cancel() {
	l.mu.Lock()
	all := slices.Clone(l.list)
	l.mu.Unlock()
	for _, c := range all {
		c.cancel()
	}
}
