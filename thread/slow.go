package thread

import (
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
)

// A SlowCall is a function that runs, or waits, for longer than [WithSlowCall] allows.
type SlowCall struct {
	Name string // what WithName gave the thread
	// the operating system's number of the thread, as in ps -L; 0 if unknown
	TID     uint64
	Running time.Duration // how long the function has run so far; 0 if it has not begun
	Waiting time.Duration // how long it has waited so far; 0 if it has begun

	// Stack is that of the thread, as [runtime.Stack] writes it. It is empty if the first 64 MB of the
	// stacks of all goroutines do not have it.
	Stack string

	// Caller is the stack of the goroutine that made the call, or posted the function: at most 32
	// functions, the innermost first. It is empty for functions of [WithStop], and for go t.Call(f).
	Caller string
}

// String returns name and number of the thread, for how long, and the two stacks.
func (s SlowCall) String() string {
	var b strings.Builder
	if s.Waiting > 0 {
		fmt.Fprintf(&b, "thread: a function has waited for %v for thread %d",
			s.Waiting.Round(time.Millisecond), s.TID)
	} else {
		fmt.Fprintf(&b, "thread: a function has run for %v on thread %d",
			s.Running.Round(time.Millisecond), s.TID)
	}
	if s.Name != "" {
		fmt.Fprintf(&b, " (%s)", s.Name)
	}
	if s.Caller != "" {
		fmt.Fprintf(&b, "\nit was queued by:\n%s", strings.TrimSuffix(s.Caller, "\n"))
	}
	if s.Stack != "" {
		fmt.Fprintf(&b, "\nthe thread is at:\n%s", s.Stack)
	}
	return b.String()
}

// WithSlowCall calls f for each function that has run for d and still runs, or has waited for d and
// has not begun. A user interface may ask for 100 milliseconds in tests, a server for a minute.
//
// # Which functions
//
// A function runs for long in a system call that hangs, say, or waiting for a lock. One that runs
// in place is part of its caller. The functions of [WithStart] count as one. Those of [WithStop]
// are not reported on a thread that the garbage collector has reclaimed.
//
// A function that waits does so because the thread runs other functions or a native loop that
// hangs; SlowCall.Stack shows them. If several wait, only the one that has waited for longest is
// reported, and another only when the thread has begun a function and d has passed again. For a
// pool, the stack is that of the thread whose function has run for longest. A function that waits
// in a bubble of testing/synctest for a thread outside is not reported.
//
// # How f is called
//
// f runs once for each such function, on a goroutine of its own, and may use the thread. Several f
// may run at once, and one that blocks or calls [runtime.Goexit] delays no other. A panic in f ends
// the program. To take the stack, the whole program is stopped for a moment.
//
// While the program records an execution trace, each report of a function that runs marks it there,
// for threadcall trace; SlowCalls of recorder.Files keeps the trace of the seconds before.
//
// # Cost
//
// With the option each call takes about a microsecond more, to record where it was made. For a d of
// zero or less and a nil f it does nothing. [Thread.OnSlowCall] is for what exists.
func WithSlowCall(d time.Duration, f func(SlowCall)) Option {
	return func(c *config) { c.slow, c.notify = d, f }
}

// OnSlowCall is [WithSlowCall] for what is queued from now on, in place of what was set before.
func (t *Thread) OnSlowCall(d time.Duration, f func(SlowCall)) {
	t.owner.Watch(d, watcher(d, f))
}

// OnSlowCall is [Thread.OnSlowCall] for functions that are queued to the pool.
func (p *Pool) OnSlowCall(d time.Duration, f func(SlowCall)) {
	p.owner.Watch(d, watcher(d, f))
}

func watcher(d time.Duration, f func(SlowCall)) func(engine.Slow) {
	if d <= 0 || f == nil {
		return nil
	}
	return func(s engine.Slow) { f(SlowCall(s)) }
}
