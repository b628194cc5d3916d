package thread

import (
	"fmt"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
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
type Timer struct{ c *engine.Clock }

// AfterFunc runs f on the thread once, when d has passed; as soon as possible if d is not positive.
func (t *Thread) AfterFunc(d time.Duration, f func()) *Timer {
	mustNotBeNil(f == nil, "AfterFunc")
	return &Timer{t.e.After(d, f, t)}
}

// Every runs f on the thread when d has passed, 2d, 3d and so on. It panics if d is not positive.
func (t *Thread) Every(d time.Duration, f func()) *Timer {
	mustNotBeNil(f == nil, "Every")
	if d <= 0 {
		panic(fmt.Sprintf("thread: Every(%v): the period must be positive", d))
	}
	return &Timer{t.e.Every(d, f, t)}
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
func (t *Timer) Stop() bool { return t.c.Stop() }

// Missed returns how many ticks a late thread had left out when the function last began. A
// simulation with a fixed step makes one, and one more for each by which Missed has grown.
//
//threadcall:noalloc
func (t *Timer) Missed() int64 { return t.c.Missed() }
