package thread

import (
	"fmt"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
)

// A Timer runs a function on a thread at given times. [Thread.After] and [Thread.Every] make it.
// What they promise:
//
//   - The function is queued as by Go when its time has come, at most once, and not counted by
//     [WithQueueLimit].
//   - The times do not drift: each is computed from the moment at which the Timer was made, on the
//     monotonic clock.
//   - A tick that comes while the one before runs follows it. If the thread is later than that, the
//     times that have passed are one tick, which runs as soon as the thread can, and [Timer.Missed]
//     counts the others.
//   - A panic is reported as by [Thread.Go], and the Timer continues, also after [runtime.Goexit].
//   - No tick allocates, and none costs anything while the function is queued.
//   - A Timer ends with its thread: Terminate stops it, Close does not wait for it. On a terminated
//     thread it never runs anything.
//
// A function that runs too long to be called again may call [Timer.Stop]. It can refer to its Timer
// if that is made on the thread itself: there, the function cannot begin before the variable is
// set.
//
// Until it is stopped or has run for the last time, a Timer keeps its Thread alive, which is then
// not reclaimed by the garbage collector. The Timer itself need not be kept.
//
// A Timer keeps the time of its thread. In a bubble of testing/synctest that is the time of the
// bubble; a thread outside keeps the real time also for a Timer that was made inside a bubble, and
// starts to count when it first sees the Timer.
//
// How late a tick comes depends on the system and on what else the program does: see
// docs/performance.md. It is never early.
type Timer struct{ c *engine.Clock }

// After runs f on the thread once, when d has passed; as soon as possible if d is not positive.
func (t *Thread) After(d time.Duration, f func()) *Timer {
	mustNotBeNil(f == nil, "After")
	return &Timer{t.e.After(d, f, t)}
}

// Every runs f on the thread after each d: when d has passed, 2d, 3d and so on. It panics if d is
// not positive.
func (t *Thread) Every(d time.Duration, f func()) *Timer {
	mustNotBeNil(f == nil, "Every")
	if d <= 0 {
		panic(fmt.Sprintf("thread: Every(%v): the period must be positive", d))
	}
	return &Timer{t.e.Every(d, f, t)}
}

// Stop ends the Timer and, unlike Stop of [time.Timer], waits until its function, if that is
// running, has returned. The function does not run after Stop.
//
// Stop does not wait on the thread itself, so the function may call it, nor in a function that the
// thread waits for, directly or through other threads. If the function waits for another goroutine,
// that goroutine must not call Stop.
//
// Stop may be called more than once, by several goroutines at once, and after the thread has been
// terminated.
func (t *Timer) Stop() { t.c.Stop() }

// Missed returns how many ticks have not run, because the thread was late, until the function last
// began. A simulation with a fixed time step makes one step, and one more for each by which Missed
// has grown. It is zero for [Thread.After].
//
//threadcall:noalloc
func (t *Timer) Missed() int64 { return t.c.Missed() }
