package observe

import (
	"cmp"
	"context"
	"math"
	"runtime/trace"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/stack"
)

// A watch reports functions that run for longer than they should, on one thread or on those of a
// pool, and those that wait for as long. It is guarded by Observer.mu.
//
// While functions run or wait there is one timer, due when the oldest that has not been reported
// will have run for too long. A function that returns in time does not stop the timer, which looks
// again when it fires. So a call does not touch the timer, and threads without calls have none. The
// thread makes the timer, or a caller, and not the goroutine that asked for reports: that may be in
// a bubble of testing/synctest, to which the timer would belong.
//
// If a thread does not come to the functions that wait, because it is in a native loop that hangs
// or in another function, the one that has waited for longest is reported, and no other until a
// function has begun. If functions do begin, but each too late, at most one is reported each time
// limit.
type watch struct {
	limit time.Duration
	alarm clock.Alarm // the timer
	set   bool        // it is, or its function has not got mu yet

	waiting  list.List[*Call] // the functions that have not begun
	stalled  bool             // one that waits has been reported, and nothing has begun since
	reported time.Duration    // when one was
}

const (
	notYet  = time.Duration(math.MaxInt64) // the time to a report that there will not be
	longAgo = time.Duration(math.MinInt64) // of no report; in a bubble, times are negative
)

// Slow is a function that has run for longer than it should, and still runs, or has not begun, as
// thread.SlowCall.
type Slow struct {
	Name             string
	TID              uint64
	Running, Waiting time.Duration
	Stack, Caller    string
}

// An Owner has the values of users that may refer to the handle of an engine or a pool. The engine
// has a weak reference to it. Otherwise a handle to which such a value refers would never be
// collected, and its thread never reclaimed. Each Call has a strong one to notify, so that
// it is notified of functions that are queued when the handle is dropped.
type Owner struct {
	of     *Observer
	notify *func(Slow) // or nil; guarded by Observer.mu
}

// Watch has notify called once for each function, of those queued from now on, that has run or
// waited for limit. Nil ends that.
func (o *Owner) Watch(limit time.Duration, notify func(Slow)) {
	x := o.of
	x.mu.Lock()
	defer x.mu.Unlock()
	if notify == nil && o.notify == nil {
		return
	}
	x.slow.forget()
	for n := x.running.First; n != nil; n = n.After {
		n.Value.notify = nil
	}
	x.slow = watch{limit: limit, reported: longAgo} // only its bubble may change the timer before
	x.slow.alarm.Init(x.look, false)
	if o.notify = nil; notify != nil {
		given := notify // or each call would allocate notify
		o.notify = &given
	}
	x.observe(watches, notify != nil)
}

// notifies returns what functions that are queued now notify, or nil.
//
//threadcall:noalloc
func (o *Observer) notifies() *func(Slow) {
	if owner := o.first.runner.Owner(); owner != nil {
		return owner.notify
	}
	return nil
}

// watch is called when v is about to be queued.
//
//threadcall:noalloc
func (o *Observer) watch(v *Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v.notify = o.notifies()
	// in another bubble there are two clocks, and the timer would be the bubble's
	if v.notify != nil && clock.InBubble() == o.bubbled {
		o.slow.waiting.Append(&v.node)
		o.arm(o.slow.limit)
	}
}

// drop forgets v, which does not begin, or does not run any more.
//
//threadcall:noalloc
func (o *Observer) drop(v *Call) {
	o.mu.Lock()
	v.node.Remove()
	o.mu.Unlock()
}

// Pause stops the time of the observed function in which a loop begins, Resume begins it again.
//
//threadcall:noalloc
func (t *Thread) Pause() {
	if v := t.innermost; v != nil {
		v.observer.drop(v)
	}
}

func (t *Thread) Resume(now time.Duration) {
	if v := t.innermost; v != nil {
		o := v.observer
		o.mu.Lock()
		defer o.mu.Unlock()
		if v.notify != o.notifies() { // Watch has been called meanwhile
			v.notify = nil
		}
		o.runs(v, now)
	}
}

// runs says that v runs since now. The caller holds mu.
//
//threadcall:noalloc
func (o *Observer) runs(v *Call, now time.Duration) {
	v.since = now
	v.node.Remove()
	o.running.Append(&v.node)
	if v.notify != nil {
		o.arm(o.slow.limit)
	}
}

// arm sets the timer, if it is not.
//
//threadcall:noalloc
func (o *Observer) arm(d time.Duration) {
	if !o.slow.set {
		o.slow.set = true
		o.slow.alarm.Set(d)
	}
}

// End stops the timer for good, which would keep what has ended until it is due.
func (o *Observer) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.slow.set = true; clock.InBubble() == o.bubbled {
		o.slow.alarm.Stop()
	}
}

// forget removes the functions that wait.
func (w *watch) forget() {
	for n := w.waiting.First; n != nil; n = w.waiting.First {
		n.Value.notify = nil
		n.Remove()
	}
}

// look is the timer's function.
func (o *Observer) look() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.slow.set = false
	now := clock.Now()
	next := o.stall(now)
	for n := o.running.First; n != nil; n = n.After {
		v := n.Value
		left := o.slow.limit - (now - v.since)
		switch {
		case v.notify == nil:
		case left > 0:
			next = min(next, left)
		case !v.asked && v.on.runner.AsksHost():
			v.asked = true
			next = min(next, o.slow.limit, hostAnswers)
		default:
			o.report(v, v.on, Slow{Running: now - v.since})
			v.notify = nil // that was once
		}
	}
	if next != notYet {
		o.arm(next)
	}
}

// stall reports the function that has waited for longest, if that is for too long, or returns how
// long it is until then. Its stack is that of the thread, of those of a pool the one whose function
// has run for longest.
func (o *Observer) stall(now time.Duration) (next time.Duration) {
	w := &o.slow
	if o.first.runner.Terminated() {
		w.forget() // they will not begin, and the queue reports nothing about those that it refuses
	}
	first := w.waiting.First
	if first == nil || w.stalled {
		return notYet
	}
	v := first.Value
	if left := w.limit - (now - max(v.queued, w.reported)); left > 0 {
		return left
	}
	w.stalled, w.reported = true, now
	t := o.first
	if n := o.running.First; n != nil {
		t = n.Value.on
	}
	o.report(v, t, Slow{Waiting: now - v.queued})
	return notYet
}

// hostAnswers is how long a native loop has to begin to serve.
const hostAnswers = 100 * time.Millisecond

// report reports v with the stack of the goroutine that serves t. It has a goroutine of its own, as
// notify may block, panic or call Goexit.
func (o *Observer) report(v *Call, t *Thread, s Slow) {
	number, at := stack.Of(t.runner.Describe(&s))
	s.Stack = at
	s.Caller = stack.TraceCaller(v.from[:v.depth])
	if s.Running > 0 { // a mark in the trace, if any, by which threadcall trace finds the function
		ctx := context.Background()
		if v.task != nil {
			ctx = v.ctx
		}
		trace.Logf(ctx, slowLog, "goroutine=%s thread=%d running=%d", cmp.Or(number, "0"), s.TID,
			clock.Now()-v.since)
	}
	for _, t := range o.Tallies {
		t.Slow.Add(1)
	}
	go (*v.notify)(s)
}
