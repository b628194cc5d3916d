package thread

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/internal/stack"
)

// A SlowCall is a function that has run on a thread for longer than [WithSlowCall] allows, and
// still runs, or that has waited for as long and has not begun.
type SlowCall struct {
	Name string // what WithName gave the thread
	// the operating system's number of the thread, as in ps -L; 0 if unknown
	TID     uint64
	Running time.Duration // how long the function has run so far; 0 if it has not begun
	Waiting time.Duration // how long it has waited so far; 0 if it has begun
	stack   []byte
	from    []uintptr
}

// Stack returns what the thread is doing, as [runtime.Stack] writes it. It is empty if the thread
// could not be found among the first 64 MB of the stacks of all goroutines, or if OnSlowCall was
// called on a thread that has begun no function since.
func (s SlowCall) Stack() string { return string(s.stack) }

// Queued returns where the function was queued: the stack of the goroutine that made the call,
// innermost function first, at most 32 functions. It is empty for functions of [WithStop].
func (s SlowCall) Queued() string { return stack.TraceCaller(s.from) }

// LogValue returns all of it for package log/slog: a group of name and tid of the thread, running
// or waiting, and the two stacks as queued and stack, without what is empty.
func (s SlowCall) LogValue() slog.Value {
	attrs := make([]slog.Attr, 0, 5)
	if s.Name != "" {
		attrs = append(attrs, slog.String("name", s.Name))
	}
	if s.TID != 0 {
		attrs = append(attrs, slog.Uint64("tid", s.TID))
	}
	if s.Waiting > 0 {
		attrs = append(attrs, slog.Duration("waiting", s.Waiting))
	} else {
		attrs = append(attrs, slog.Duration("running", s.Running))
	}
	if from := s.Queued(); from != "" {
		attrs = append(attrs, slog.String("queued", from))
	}
	if len(s.stack) > 0 {
		attrs = append(attrs, slog.String("stack", s.Stack()))
	}
	return slog.GroupValue(attrs...)
}

// String returns all of it, for a log.
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
	if from := s.Queued(); from != "" {
		fmt.Fprintf(&b, "\nit was queued by:\n%s", strings.TrimSuffix(from, "\n"))
	}
	if len(s.stack) > 0 {
		fmt.Fprintf(&b, "\nthe thread is at:\n%s", s.stack)
	}
	return b.String()
}

// WithSlowCall calls f for every function that has run for d and still runs: a system call that
// hangs, a lock that is never released. A user interface that is to stay responsive may ask for 100
// milliseconds in tests, a server for a minute.
//
// f is also called for a function that has waited for d and has not begun: the thread is in a
// native loop that hangs, or in other functions, and is at [SlowCall.Stack]. Of several that wait,
// the one that has waited for longest is reported, and no other until the thread has begun a
// function and d has passed again. In a pool, the stack is that of the thread whose function has
// run for longest. A function that waits in a bubble of testing/synctest for a thread outside is
// not reported.
//
// f runs on a goroutine of its own, once for each such function, and may use the thread; more than
// one f may run at the same time, and one that blocks or calls [runtime.Goexit] delays no other. A
// panic in f that it does not recover ends the program, as in any goroutine. To take the thread's
// stack, the whole program is stopped for a moment. Functions that a call runs in place, because it
// is made on the thread, belong to the function that makes it. The functions of [WithStart] count
// as one function, and so do those of [WithStop], whose Queued is empty; those of a thread that the
// garbage collector has reclaimed are not reported.
//
// While the program records an execution trace, each report of a function that runs leaves a mark
// in it, which threadcall trace shows; package recorder's SlowCalls keeps the trace of the seconds
// before.
//
// Each call then costs about a microsecond more, to record where it was made; without the option it
// costs nothing. For a d of zero or less and for a nil f it does nothing. See [Thread.OnSlowCall]
// for a thread that exists.
func WithSlowCall(d time.Duration, f func(SlowCall)) Option {
	return func(c *config) { c.slow, c.notify = d, f }
}

// OnSlowCall is [WithSlowCall] for the functions that are queued from now on, in place of what was
// set before. A nil f turns it off.
func (t *Thread) OnSlowCall(d time.Duration, f func(SlowCall)) {
	t.owner.Watch(d, config{name: t.name, slow: d, notify: f}.watcher())
}

// OnSlowCall is [Thread.OnSlowCall], for the functions that are queued to any of the threads.
func (p *Pool) OnSlowCall(d time.Duration, f func(SlowCall)) {
	p.owner.Watch(d, config{name: p.name, pool: true, slow: d, notify: f}.watcher())
}

// watcher returns what the engine is to call, or nil.
func (c config) watcher() func(engine.Slow) {
	if c.slow <= 0 || c.notify == nil {
		return nil
	}
	c.hooks = hooks{} // which the thread lets go of when they have run
	return func(s engine.Slow) {
		c.notify(SlowCall{
			c.number(s.Thread).name, s.TID, s.Running, s.Waiting, s.Stack, s.From,
		})
	}
}
