package engine

import (
	"bytes"
	"math"
	"runtime/trace"
	"slices"
	"strconv"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/stack"
)

// A watch reports functions that run for longer than they should, on one thread or on those of a
// pool, and those that wait for as long. It is guarded by observer.mu.
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
//
// The function that is notified may refer to the thread's handle. So the watch, to which the thread
// refers, has a weak reference to it. Each observedCall has a strong one, so that it is notified of
// functions that are queued when the handle is dropped.
type watch struct {
	limit  time.Duration
	notify weak.Pointer[func(Slow)]
	timer  *time.Timer
	set    bool // the timer is, or its function has not got mu yet

	waiting  list.List[*observedCall] // the functions that have not begun
	stalled  bool                     // one that waits has been reported, and nothing has begun since
	reported time.Duration            // when one was
	closed   bool                     // nothing that waits will begin
}

const (
	notYet  = time.Duration(math.MaxInt64) // the time to a report that there will not be
	longAgo = time.Duration(math.MinInt64) // of no report; in a bubble, times are negative
)

// Slow is a function that has run for longer than it should, and still runs, or has not begun.
type Slow struct {
	Thread  int // in a pool
	TID     uint64
	Running time.Duration // or zero
	Waiting time.Duration // or zero
	Stack   []byte        // of the thread, as runtime.Stack writes it
	From    []uintptr     // of the goroutine that queued the function
}

// Watch has notify called once for each function, of those queued from now on, that has run or
// waited for limit. Nil ends that.
func (o *Owner) Watch(limit time.Duration, notify func(Slow)) {
	if notify == nil && o.of.lastObserver.Load() == nil {
		return
	}
	x := o.of.observeWith()
	x.mu.Lock()
	defer x.mu.Unlock()
	w := &x.slow
	w.forget()
	for n := x.running.First; n != nil; n = n.After {
		n.Value.notify = nil
	}
	x.watches.Store(notify != nil)
	x.use()
	// another timer, because only its bubble may change this one
	o.notify, w.limit, w.timer, w.set = &notify, limit, nil, false
	w.notify = weak.Make(o.notify)
}

// watch is called when v is about to be queued.
//
//threadcall:noalloc
func (o *observer) watch(v *observedCall) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w := &o.slow
	if v.notify = w.notify.Value(); v.notify == nil || *v.notify == nil {
		v.notify = nil
		return
	}
	v.notified = false
	// else there are two clocks, and the timer would be the bubble's
	if clock.InBubble() == o.of.Bubbled() && !w.closed {
		w.waiting.Append(&v.node)
		o.arm(w.limit)
	}
}

// watchBegun is called when v begins to run.
//
//threadcall:noalloc
func (o *observer) watchBegun(v *observedCall) {
	w := &o.slow
	w.stalled = false
	if v.notify != nil {
		v.notified = false
		o.arm(w.limit)
	}
}

// drop forgets v, which does not begin.
//
//threadcall:noalloc
func (o *observer) drop(v *observedCall) {
	o.mu.Lock()
	v.node.Remove()
	o.mu.Unlock()
}

// pauseSlow stops the time of the observed function in which a loop begins, resumeSlow begins it
// again.
//
//threadcall:noalloc
func (e *Engine) pauseSlow() {
	if v := e.observed; v != nil {
		v.observer.drop(v)
	}
}

func (e *Engine) resumeSlow(now time.Duration) {
	v := e.observed
	if v == nil {
		return
	}
	o := v.observer
	o.mu.Lock()
	defer o.mu.Unlock()
	if v.notify != o.slow.notify.Value() { // Watch has been called meanwhile
		v.notify = nil
	}
	v.node.Remove() // if a loop has ended that was not paused
	v.since = now
	o.running.Append(&v.node)
	if v.notify != nil && !v.notified {
		o.arm(o.slow.limit)
	}
}

// arm sets the timer, if it is not.
//
//threadcall:noalloc
func (o *observer) arm(d time.Duration) {
	w := &o.slow
	if w.set {
		return
	}
	w.set = true
	if w.timer == nil {
		w.timer = time.AfterFunc(d, o.look) //threadcall:alloc the first time
	} else {
		w.timer.Reset(d)
	}
}

// terminated forgets the functions that wait: the queue reports nothing about posted ones that it
// has refused.
func (o *observer) terminated() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.slow.closed = true
	o.slow.forget()
}

// forget removes the functions that wait.
func (w *watch) forget() {
	for n := w.waiting.First; n != nil; n = w.waiting.First {
		n.Value.notify = nil
		n.Remove()
	}
}

// look is the timer's function. Each report has a goroutine of its own, as it may block, panic or
// call Goexit.
func (o *observer) look() {
	found, asked := o.find()
	for _, slow := range found {
		go slow.notify(slow.Slow)
	}
	for _, e := range asked {
		e.control(nil)
	}
}

// hostAnswers is how long a native loop has to begin to serve.
const hostAnswers = 100 * time.Millisecond

// asksHost reports whether v, which has run for too long, may be a native loop. Then something is
// queued: a loop serves that, and so pauses v for good; otherwise v is slow at the next look.
func (e *Engine) asksHost(v *observedCall) bool {
	if e == nil || v.asked || e.own || e.onWake.Load() == nil {
		return false
	}
	v.asked = true
	return true
}

type report struct {
	Slow
	notify func(Slow)
}

func (o *observer) find() (found []report, asked []*Engine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w := &o.slow
	w.set = false
	next, found := o.stall()
	for n := o.running.First; n != nil; n = n.After {
		v := n.Value
		if v.notify == nil || v.notified {
			continue
		}
		now := clock.Now()
		if left := w.limit - (now - v.since); left > 0 { // and the others began later
			next = min(next, left)
			break
		}
		if v.on.asksHost(v) {
			next = min(next, w.limit, hostAnswers)
			asked = append(asked, v.on)
			continue
		}
		v.notified = true
		slow := v.slow(v.on, v.goid)
		slow.Running = now - v.since
		v.logSlow(slow)
		found = append(found, report{slow, *v.notify})
	}
	if next != notYet {
		o.arm(next)
	}
	o.of.reports.Add(uint64(len(found)))
	o.of.named.slow.Add(uint64(len(found)))
	return found, asked
}

// stall returns the function that waits and is to be reported now, or how long it is until one will
// be. Its stack is that of the thread, of those of a pool the one whose function has run for
// longest.
func (o *observer) stall() (next time.Duration, found []report) {
	w := &o.slow
	first := w.waiting.First
	if first == nil || first.Value.notified || w.stalled {
		return notYet, nil
	}
	v := first.Value
	now := clock.Now()
	if left := w.limit - (now - max(v.queued, w.reported)); left > 0 {
		return left, nil
	}
	v.notified, w.stalled, w.reported = true, true, now
	e := o.of.first()
	goid := e.goid.Load()
	if n := o.running.First; n != nil && n.Value.on != nil {
		e, goid = n.Value.on, n.Value.goid
	}
	slow := v.slow(e, goid)
	slow.Waiting = now - v.queued
	return notYet, []report{{slow, *v.notify}}
}

// slow reports v, for which the thread of e stands, or nil.
func (v *observedCall) slow(e *Engine, goid uint64) Slow {
	s := Slow{From: slices.Clone(v.from[:v.depth])}
	if e != nil {
		s.Thread, s.TID = e.index, e.tid.Load()
		if goid != 0 {
			s.Stack = stackOf(goid)
		}
	}
	return s
}

// logSlow leaves a mark in the trace that is recorded, if any, by which threadcall trace finds the
// function.
func (v *observedCall) logSlow(s Slow) {
	if !trace.IsEnabled() {
		return
	}
	ctx := never
	if v.task != nil {
		ctx = v.ctx
	}
	trace.Logf(ctx, slowLog, "goroutine=%d thread=%d running=%d", v.goid, s.TID, clock.Now()-v.since)
}

// stackOf returns the stack of the goroutine with the number id.
func stackOf(id uint64) []byte {
	wanted := strconv.FormatUint(id, 10)
	for number, one := range stack.Goroutines() {
		if number == wanted {
			return bytes.Clone(one)
		}
	}
	return nil
}
