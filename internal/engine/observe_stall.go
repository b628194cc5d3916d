package engine

import (
	"math"
	"slices"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
)

// waiting are the functions that a watch knows and that have not begun, as a list. If a thread does
// not come to them, because it is in a native loop that hangs or in another function, the one that
// has waited for longest is reported, and no other until a function has begun. If functions do
// begin, but each too late, at most one is reported each time limit.
type waiting struct {
	first, last *observedCall
	stalled     bool          // one has been reported, and nothing has begun since
	reported    time.Duration // when one was
	closed      bool          // nothing that waits will begin
}

const (
	notYet  = time.Duration(math.MaxInt64) // the time to a report that there will not be
	longAgo = time.Duration(math.MinInt64) // of no report; in a bubble, times are negative
)

// wait is called when v is about to be queued.
//
//threadcall:noalloc
func (w *watch) wait(v *observedCall) {
	if clock.InBubble() != w.of.Bubbled() {
		return // two clocks, and the timer would be the bubble's
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &w.waiting
	if w.ended || l.closed {
		return
	}
	v.waits, v.notified, v.older = true, false, l.last
	if l.last == nil {
		l.first = v
	} else {
		l.last.newer = v
	}
	l.last = v
	w.arm()
}

// drop is called when v will not begin.
//
//threadcall:noalloc
func (w *watch) drop(v *observedCall) {
	w.mu.Lock()
	w.waiting.remove(v)
	w.mu.Unlock()
}

// remove removes v, if it is there.
//
//threadcall:noalloc
func (l *waiting) remove(v *observedCall) {
	if !v.waits {
		return
	}
	if v.older == nil {
		l.first = v.newer
	} else {
		v.older.newer = v.newer
	}
	if v.newer == nil {
		l.last = v.older
	} else {
		v.newer.older = v.older
	}
	v.waits, v.older, v.newer = false, nil, nil
}

func (l *waiting) clear() {
	for l.first != nil {
		l.remove(l.first)
	}
}

// terminated lets go of the functions that wait: posted ones that the queue has refused are not
// heard of again.
func (o *observer) terminated() {
	if o == nil || o.watch == nil {
		return
	}
	w := o.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting.closed = true
	w.waiting.clear()
}

// stall returns the function that waits and is to be reported now, or how long it is until one will
// be. The caller holds mu.
func (w *watch) stall() (next time.Duration, found []report) {
	l := &w.waiting
	v := l.first
	if v == nil || v.notified || l.stalled {
		return notYet, nil
	}
	now := clock.Now()
	if left := w.limit - (now - max(v.queued, l.reported)); left > 0 {
		return left, nil
	}
	v.notified, l.stalled, l.reported = true, true, now
	slow := Slow{Waiting: now - v.queued, From: slices.Clone(v.from[:v.depth])}
	e := w.of.first()
	goid := e.goid.Load()
	if len(w.running) > 0 && w.running[0].on != nil {
		e, goid = w.running[0].on, w.running[0].goid
	}
	slow.Thread, slow.TID = e.index, e.tid.Load()
	if goid != 0 {
		slow.Stack = stackOf(goid)
	}
	return notYet, []report{{slow, *v.notify}}
}
