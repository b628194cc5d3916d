package thread

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/park"
)

// A Timer, of [Thread.AfterFunc] or [Thread.Every], runs a function on a thread at given times.
//
//   - When a time has come, a tick queues the function as Go does, but without [WithQueueLimit].
//   - Times do not drift: each is computed from when the Timer was made, on the monotonic clock.
//   - At most one tick is queued. A tick that comes while the function runs follows it. If the
//     thread is later, the times that have passed are one tick; [Timer.Missed] counts the others.
//   - A panic is reported as by [Thread.Go], and the Timer continues, after [runtime.Goexit], too.
//   - No tick allocates. On Linux, all Timers of Every share a descriptor and a goroutine.
//   - A Timer ends with its thread: Terminate stops it, Close does not wait. Later it does nothing.
//
// The function may call [Timer.Stop]. It can refer to its Timer if the Timer is made on the thread
// itself: there the function cannot begin before the variable is set.
//
// A Timer, which need not be kept, keeps its Thread from being reclaimed until it ends.
//
// A Timer has the time of its thread. In a bubble of testing/synctest that is the time of the
// bubble. A thread outside keeps the real time, for a Timer that is made inside a bubble, too, and
// starts to count when it first sees the Timer.
//
// A tick is never early. How late it comes depends on system and program: see docs/performance.md.
type Timer struct {
	// It goes through these states:
	//
	//	state    armed  running        leaves it by
	//	armed    true   -              fire, which posts run: nothing else posts it, so it is queued at
	//	                               most once
	//	queued   false  -              take, on the thread, which first arms the Timer for the next time
	//	                               after now, if it has one
	//	running  -      more than 0    returned. Meanwhile the Timer may be armed or queued, too
	//	over     false  -              never: Stop, the end of the thread, or the only function has
	//	                               begun
	//
	// So no alarm is set while the function is queued. Stop waits until running is zero.

	e      *engine.Engine
	period time.Duration // zero if the function runs once
	run    func()        // t.call, made once
	alarm  clock.Alarm
	node   list.Node[func()] // in e.AtTerminate, with cancel

	mu      sync.Mutex
	f       func()  // nil when over
	thread  *Thread // kept alive until over, as the engine refers to node
	armed   bool
	running int // more than one if f serves, and so runs itself
	waiting []*park.Token
	due     time.Duration // if armed
	missed  int64
}

// farAway is 73 years: a function that is due later runs then.
const farAway = math.MaxInt64 / 4

// AfterFunc runs f on the thread once, when d has passed; as soon as possible if d is not positive.
func (t *Thread) AfterFunc(d time.Duration, f func()) *Timer {
	mustNotBeNil(f == nil, "AfterFunc")
	return t.newTimer(d, 0, f)
}

// Every runs f on the thread when d has passed, 2d, 3d and so on. It panics if d is not positive.
func (t *Thread) Every(d time.Duration, f func()) *Timer {
	mustNotBeNil(f == nil, "Every")
	if d <= 0 {
		panic(fmt.Sprintf("thread: Every(%v): the period must be positive", d))
	}
	return t.newTimer(d, min(d, farAway), f)
}

func (t *Thread) newTimer(first, period time.Duration, f func()) *Timer {
	reachable := t.e.Reachable()
	x := &Timer{e: t.e, period: period, f: f, thread: t}
	x.run, x.node.Value = x.call, x.cancel
	start := func() { x.start(first) }
	switch {
	case !reachable || !t.e.AtTerminate.Add(&x.node):
		x.cancel()
	case clock.InBubble() && !t.e.Bubbled(): // an alarm belongs to the bubble where it is set first
		t.e.Control(start)
	default:
		start()
	}
	return x
}

func (t *Timer) start(first time.Duration) {
	t.mu.Lock()
	if t.f == nil {
		t.mu.Unlock()
		return
	}
	t.alarm.Init(t.fire, t.period > 0 && !t.e.Bubbled())
	t.due, t.armed = clock.Now()+min(max(first, 0), farAway), true
	t.mu.Unlock()
	t.fire()
}

// arm is called by callers that hold t.mu.
//
//threadcall:noalloc
func (t *Timer) arm(due time.Duration) {
	t.due, t.armed = due, true
	t.alarm.Set(due - clock.Now())
}

// fire posts the function if the Timer is due, and otherwise sets the alarm, which may call it
// early, and once too often.
//
//threadcall:noalloc
func (t *Timer) fire() {
	t.mu.Lock()
	fires := t.armed && t.due <= clock.Now()
	if fires {
		t.armed = false
	} else if t.armed {
		t.arm(t.due)
	}
	t.mu.Unlock()
	if fires {
		t.e.Post(t.run) // or the thread is about to end, which cancels the Timer
	}
}

// call is what is posted.
//
//threadcall:noalloc
func (t *Timer) call() {
	f := t.take()
	if f == nil {
		return
	}
	defer t.returned() // also if f panics or calls Goexit
	f()
}

// take arms the Timer for the next time, and returns the function to run now, or nil.
//
//threadcall:noalloc
func (t *Timer) take() func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.f
	if f == nil {
		return nil
	}
	t.running++
	if t.period == 0 {
		t.cancelLocked()
	} else {
		due, missed := after(t.due, t.period, clock.Now())
		t.missed += missed
		t.arm(due)
	}
	return f
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
func (t *Timer) returned() {
	t.mu.Lock()
	if t.running--; t.running == 0 {
		for _, token := range t.waiting { // the last time, as none waits before the Timer is over
			token.Wake()
		}
	}
	t.mu.Unlock()
}

// Stop ends the Timer and, unlike Stop of [time.Timer], waits until its function, if that is
// running, has returned. The function does not begin again.
//
// Stop returns true if it has ended the Timer, so that a run that was to come does not come. It
// returns false if the Timer was over: it has been stopped, its thread has been terminated, or it
// is of AfterFunc and the function has begun. So within the function, Stop returns false for
// AfterFunc, and true once for Every. Of several calls of Stop, at most one returns true.
//
// Stop does not wait on the thread itself, so the function may call it, nor in a function that the
// thread waits for, directly or through other threads. On another thread, Stop runs the calls that
// the function makes to that. A goroutine that the function waits for must not call Stop.
//
// Stop may be called more than once, by several goroutines, and when the thread has ended.
func (t *Timer) Stop() bool {
	if !t.e.Reachable() {
		return false // terminated, and so over
	}
	self := engine.Self()
	t.mu.Lock()
	ended := t.f != nil
	t.cancelLocked()
	if t.running == 0 || self == t.e {
		t.mu.Unlock()
		return ended
	}
	latched := !t.e.Bubbled() && clock.InBubble()
	token := park.NewToken(latched)
	t.waiting = append(t.waiting, token)
	t.mu.Unlock()
	// a thread outside a bubble cannot wait for one inside, so the two are in no cycle
	if latched {
		token.Wait(nil)
	} else {
		_ = engine.WaitEnd(context.Background(), t.e, token.C())
	}
	return ended
}

// Missed returns how many ticks a late thread had left out when the function last began. A
// simulation with a fixed step makes one, and one more for each by which Missed has grown.
//
//threadcall:noalloc
func (t *Timer) Missed() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.missed
}

// cancel ends the Timer and does not wait for its function.
func (t *Timer) cancel() {
	t.mu.Lock()
	t.cancelLocked()
	t.mu.Unlock()
}

// cancelLocked is cancel for callers that hold t.mu.
func (t *Timer) cancelLocked() {
	if t.f == nil {
		return
	}
	t.f, t.armed, t.thread = nil, false, nil
	t.alarm.Stop()
	t.e.AtTerminate.Take(&t.node)
}
