package engine

import (
	"math"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/list"
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
// times do not drift, because each is reckoned from the one before. Stop ends the clock and then
// waits until running is zero.
//
// A clock keeps the time of its thread. In a bubble of testing/synctest that is the bubble's; the
// goroutine that makes the clock is in it as well. A thread outside may be given a clock from
// inside a bubble: the thread then starts it, because a timer belongs to the bubble of the
// goroutine that makes it.
//
// A clock that is not over keeps the thread's handle alive: clocks.list refers to the clock, and
// the clock to the handle.
type Clock struct {
	e      *Engine
	period time.Duration // zero if the function runs once
	run    func()        // c.call, made once
	alarm  clock.Alarm
	node   list.Node[*Clock] // in e.clocks

	mu      sync.Mutex
	fn      func() // nil when over and not running
	keep    any    // the thread's handle, until over
	armed   bool
	over    bool
	running int // more than one if fn serves, and so runs itself
	waiting []*park.Token
	due     time.Duration // if armed
	missed  int64
}

// farAway is 73 years: a function that is due later runs then.
const farAway = math.MaxInt64 / 4

// clocks are those of a thread that are not over.
type clocks struct {
	mu   sync.Mutex
	list list.List[*Clock]
}

// After returns a clock that posts fn once, after d. Keep is kept alive until fn begins or the
// clock is over for another reason.
func (e *Engine) After(d time.Duration, fn func(), keep any) *Clock {
	return e.newClock(d, 0, fn, keep)
}

// Every returns a clock that posts fn after each d, which is positive.
func (e *Engine) Every(d time.Duration, fn func(), keep any) *Clock {
	return e.newClock(d, min(d, farAway), fn, keep)
}

func (e *Engine) newClock(first, period time.Duration, fn func(), keep any) *Clock {
	reachable := e.reachable()
	c := &Clock{e: e, period: period, fn: fn, keep: keep}
	c.run, c.node.Value = c.call, c
	e.clocks.mu.Lock()
	e.clocks.list.Append(&c.node)
	e.clocks.mu.Unlock()
	switch {
	// looked at after that, as Terminate ends the clocks after it has closed the thread
	case !reachable || e.phase.Load() != open:
		c.cancel()
	case e.bubble == 0 && clock.InBubble():
		e.control(func() { c.start(first) })
	default:
		c.start(first)
	}
	return c
}

func (c *Clock) start(first time.Duration) {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return
	}
	c.alarm.Init(c.fire, c.period > 0 && c.e.bubble == 0)
	c.due, c.armed = clock.Now()+min(max(first, 0), farAway), true
	c.mu.Unlock()
	c.fire()
}

// arm is called by callers that hold c.mu.
//
//threadcall:noalloc
func (c *Clock) arm(due time.Duration) {
	c.due, c.armed = due, true
	c.alarm.Set(due - clock.Now())
}

// fire posts the function if the clock is due, and otherwise sets the alarm, which may call it
// early, and once too often.
//
//threadcall:noalloc
func (c *Clock) fire() {
	c.mu.Lock()
	fires := c.armed && c.due <= clock.Now()
	if fires {
		c.armed = false
	} else if c.armed {
		c.arm(c.due)
	}
	c.mu.Unlock()
	if fires && !c.e.Post(c.run) {
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
	if c.period == 0 {
		c.cancelLocked()
	} else {
		due, missed := after(c.due, c.period, clock.Now())
		c.missed += missed
		c.arm(due)
	}
	return fn
}

// after returns the first of the times that follow due, each a period later, that is after now, and
// how many come before that.
//
//threadcall:noalloc
func after(due, period, now time.Duration) (next time.Duration, missed int64) {
	n := max(0, now-due) / period
	return due + (n+1)*period, int64(n)
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

// Stop ends the clock, and reports whether it was not over. Its function does not run after that,
// or if it runs now, Stop waits for its end, unless the caller is on the thread, or in a function
// that the thread waits for, directly or through others.
func (c *Clock) Stop() (ended bool) {
	e := c.e
	if !e.reachable() {
		return false // terminated, and so over
	}
	self := threads.current()
	c.mu.Lock()
	ended = !c.over
	c.cancelLocked()
	if c.running == 0 || self == e {
		c.mu.Unlock()
		return ended
	}
	latched := e.bubble == 0 && clock.InBubble()
	token := park.NewToken(latched)
	c.waiting = append(c.waiting, token)
	c.mu.Unlock()
	// a thread outside a bubble cannot wait for one inside, so the two are in no cycle
	if self == nil || latched {
		token.Wait(nil)
	} else {
		self.waitForEnd(token.C(), nil, wait{on: e})
	}
	return ended
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
	c.alarm.Stop()
	if c.running == 0 {
		c.fn = nil
	}
	l := &c.e.clocks
	l.mu.Lock()
	c.node.Remove()
	l.mu.Unlock()
}

// cancel ends all clocks, when the queue has been closed.
func (l *clocks) cancel() {
	for {
		l.mu.Lock()
		first := l.list.First
		l.mu.Unlock()
		if first == nil {
			return
		}
		first.Value.cancel()
	}
}
