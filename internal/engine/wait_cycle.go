package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/park"
)

// When a function that runs on thread A calls thread B, A waits, and a call to A must wait for it.
// If B, in order to answer, itself waits for a call to A, directly or through other threads, then
// all wait for ever, unless A runs that call while it waits. This file detects such cycles, and
// runs the call: only if A would wait for ever otherwise, and only that call and what the same
// thread has queued for A before.
//
// What a wait depends on is a thread; or several, of which each may be needed, see wait.needs. So
// the threads and their waits are a graph. A thread is stuck if it depends on itself, directly or
// through threads that wait: then nothing but a call that one of them runs ends its wait.
//
// A waiting thread publishes in waiter.wait what it waits for, and then looks whether it is stuck.
// Of the threads that are stuck together, one is the last to publish. It sees the waits of all
// others, because these do not change any more, and so no other needs to look when it publishes
// its own:
//
//	the last to publish           runs a call itself, if one of the calls that the others wait for is
//	                              queued for it; else it notifies those for which one is, and those
//	                              that wait without a call. So does one that runs its start, before
//	                              which no call is to run, if others end all of its cycles
//	each thread that is notified  looks whether it is stuck, and runs the oldest call that a thread
//	                              on which it depends has queued for it; then it publishes again
//
// Among the calls that threads in a cycle wait for, the one that was made last has not begun: its
// thread has begun to wait before, as its own call was made before. So there is always one to run,
// and to begin it needs no thread but the one that waits with it in its queue.
//
// A look reads the waits one after the other, while others may change. So it reads all again: those
// that have not changed waited at one moment as seen, and since a thread that is stuck does not go
// on by itself, it is true from then on. One that has changed counts as one that goes on: it
// publishes or has published anew, and looks. So a thread is stuck if it is without those; which
// matters for a wait for several, from which the one that has changed may be taken meanwhile.
//
// A thread may also wait for a place in the bounded queue of another. There is nothing to run then:
// if it is stuck, it does without a place. A wait for an end, of another thread, of a pool, of a
// Group, or of a timer's function, is of the same kind, but runs calls as a wait for a call does:
// those that the function which is to end makes to this thread. If the thread would be stuck, too,
// without threads that wait for a call which has not begun, or for a place, it does not wait.
//
// Calls from a thread to itself never come here, not even from coroutines: they run in place. Only
// callers that have spun in vain come here, and ordinary goroutines leave again at the first look.

// A waiter is a thread that may wait for another one.
type waiter struct {
	wait   atomic.Pointer[wait] // what the thread waits for, if it does
	rounds atomic.Uint64        // how often it has begun to wait
	leave  sync.Mutex           // held to set wait to nil, and by others in order to keep it from that

	starting atomic.Bool // it runs its start functions; only the thread changes it

	// only the thread's
	lastWait *wait       // which may do again
	token    *park.Token // for waits for a place; only the thread makes it
	again    atomic.Bool // it is to look as if it had just begun to wait, see Pool.spared
	seen     reach
	sent     []*callq.Call // the last that it has queued for each other one, or pool
	current  *callq.Call   // what it runs, until that serves or waits

	// guarded by searches.mu
	epoch uint64 // of the last look that has come to the thread
	at    int    // and where it is in the list of that
}

// A wait is a call that a thread waits for, or a place in a bounded queue, or the end of a thread.
type wait struct {
	call      *callq.Call // nil for a place or an end
	of        *target     // whose queue or backlog it is in
	group     Group       // or the threads that are needed
	end       bool        // it is for an end
	abandoned bool        // abandon was true; only the thread uses it

	// what follows the call that another thread has begun last for this wait; guarded by leave
	next *callq.Call
}

// needs returns the threads that are to end the wait, of which it may need each. A call in the
// backlog of a pool is about to be taken if a thread of the pool is idle, and then it needs none
// for certain; if that one takes another call, those of the pool that wait look again. Otherwise it
// may need any of the pool's, because their functions may wait for each other by means that the
// engine does not know.
func (w *wait) needs() []*Engine {
	switch {
	case w.of == nil:
		return w.group.Workers()
	case w.of.pool != nil:
		return w.of.pool.needs(w.call)
	}
	return w.of.Workers()
}

// link notes that the thread queues c, behind what it has queued for the same one before.
//
//threadcall:noalloc
func (e *Engine) link(c *callq.Call) {
	for i, last := range e.sent {
		if last.Queue == c.Queue {
			c.Earlier.Store(last)
			e.sent[i] = c
			return
		}
	}
	c.Earlier.Store(nil)
	// what is queued no more; what was withdrawn may be behind what is
	e.sent = slices.DeleteFunc(e.sent, func(c *callq.Call) bool { return !c.Linked(e.id) })
	e.sent = append(e.sent, c) //threadcall:alloc for more threads than before
}

// prepare returns what waiter.wait is to refer to: the last wait if it was equal, because others
// may still read that.
func (r *waiter) prepare(w wait) *wait {
	if last := r.lastWait; last == nil || *last != w { // or it was left behind
		r.lastWait = new(wait) //threadcall:alloc when a thread waits for another one than before
		*r.lastWait = w
	}
	return r.lastWait
}

// publish says that the thread waits for w. It is false if that was said already.
func (r *waiter) publish(w *wait) bool {
	if r.wait.Load() == w {
		return false
	}
	r.rounds.Add(1)
	r.wait.Store(w)
	return true
}

// unpublish says that the thread does not wait.
func (r *waiter) unpublish() {
	r.leave.Lock()
	defer r.leave.Unlock()
	if w := r.wait.Load(); w != nil {
		w.next = nil
		r.wait.Store(nil)
	}
}

// waiting returns what the thread waits for, or nil if it does not or can go on, and the number of
// that wait.
func (r *waiter) waiting() (w *wait, round uint64) {
	round = r.rounds.Load()
	if w = r.wait.Load(); w != nil && w.call != nil && w.call.Outcome() != 0 {
		w = nil
	}
	return w, round
}

// waitFor waits, on the thread e, for w.call to be settled, or for cancel in order to withdraw it.
func (e *Engine) waitFor(what wait, cancel <-chan struct{}) callq.Outcome {
	w := e.prepare(what)
	e.link(w.call)
	e.beginServing(1)
	defer e.endServing(1)
	return e.waitOn(w, cancel)
}

// waitOn is waitFor. If a function that it runs meanwhile calls Goexit, the call must not begin any
// more. If the call has begun, its end is waited for before the goroutine is unwound further, as in
// a call in place; if it panics, the panic is raised again then.
func (e *Engine) waitOn(w *wait, cancel <-chan struct{}) (o callq.Outcome) {
	ended := false
	defer func() {
		e.unpublish()
		if ended || w.abandon() {
			return
		}
		outcome := e.waitOn(w, nil)
		fault := w.call.Fault
		w.call.Drop()
		if fault != nil && outcome != callq.Failed {
			fault.Raise()
		}
	}()
	for w.call.Park() {
		if !e.rescue(w) && !waitToken(w.call, &cancel) {
			ended = true
			return callq.Withdrawn
		}
	}
	ended = true
	return w.call.Outcome()
}

// waitForPlace waits for a place in the queue of a thread or pool, for that queue to be closed, or
// for cancel. The kind that it returns says whether it has got one. Without places it only waits
// for closed. e is the thread that the caller is on, if any, and does not wait where that would be
// a deadlock.
func (e *Engine) waitForPlace(
	places chan<- struct{}, closed, cancel <-chan struct{}, what wait,
) callq.Kind {
	var w *wait
	var again <-chan struct{}
	if e != nil {
		if e.token == nil {
			e.token = park.NewToken(false)
		}
		w, again = e.prepare(what), e.token.C()
		e.beginServing(1)
		defer e.endServing(1)
		defer e.unpublish()
	}
	for {
		if e != nil && e.rescue(w) {
			continue
		}
		if e != nil && e.seen.stuck && (e.seen.final || !w.end) {
			return callq.Posted
		}
		select { //threadcall:alloc the runtime's sudogs, when its caches are empty
		case places <- struct{}{}:
			return callq.Placed
		case <-closed:
			return callq.Posted
		case <-cancel:
			return callq.Posted
		case <-again:
		}
	}
}

// abandon says that the call must not begin any more, because a Goexit unwinds the thread's
// goroutine. It is true if the call is gone; otherwise the thread must wait until it is settled.
func (w *wait) abandon() bool {
	if !w.abandoned && w.call != nil {
		w.abandoned = w.call.Abandon()
	}
	return w.abandoned
}

// rescue publishes w, and looks whether e is stuck. If so, it runs a call for a thread that waits
// for e, and is true, unless e waits for a place. If there is none and e has just published w, it
// notifies those that can run one.
func (e *Engine) rescue(w *wait) bool {
	last := e.publish(w) || e.again.Swap(false) // to publish, for all that it knows
	if e.search(w); !e.seen.stuck || w.call == nil && !w.end {
		return false
	}
	for _, n := range e.seen.list[1:] {
		if n.cyclic && (!e.starting.Load() || e.seen.alone) && e.runFor(n.thread, n.wait, w) {
			return true
		}
	}
	for _, n := range e.seen.list {
		switch {
		case !last || !n.cyclic:
		case n.wait.call == nil:
			n.thread.notify(e)
		case n.wait.call.Unbegun():
			for _, y := range n.needs {
				y.notify(e)
			}
		}
	}
	return false
}

// notify makes a thread that waits, if it is not e, look again.
func (y *Engine) notify(e *Engine) {
	switch w := y.wait.Load(); {
	case w == nil || y == e:
	case w.call != nil:
		w.call.Notify()
	default:
		y.token.Wake()
	}
}

// runFor runs, while e waits for w, the oldest call that x has queued for e or its pool, if x waits
// for one there. As x cannot leave its wait while e holds x.leave, the records are still what x has
// queued. If x does not wait for that any more, its record may serve another caller by now, which
// is in no cycle.
func (e *Engine) runFor(x *Engine, theirs, w *wait) bool {
	if theirs.call == nil || theirs.of != e.of {
		return false
	}
	x.leave.Lock()
	var c *callq.Call
	if x.wait.Load() == theirs {
		if p := e.pool; p != nil {
			p.mu.Lock()
			if c = theirs.oldest(x.id, true); c != nil {
				p.give(c, e)
			}
			p.mu.Unlock()
		} else if next := theirs.oldest(x.id, false); next != nil && e.q.TakeOutOfTurn(next) {
			c = next
		}
	}
	x.leave.Unlock()
	if c == nil {
		return false
	}
	e.unpublish() // while it runs that, it does not wait
	defer e.Labels.Relabel(e.Labels.Unlabel())
	e.run(c, w)
	return true
}

// oldest returns the oldest call that poster, which waits for w, has queued for the same thread or
// pool, if that for which it waits is queued.
func (w *wait) oldest(poster uintptr, backlog bool) *callq.Call {
	c := w.next
	if c == nil || !c.Queued(poster) || backlog && !c.Node.Listed() {
		c = callq.Oldest(poster, w.call, backlog)
	}
	if w.next = nil; c != nil && c != w.call {
		w.next = c.Later
	}
	return c
}

// A Group is threads of which a waiting thread may need each. Workers may return others each time:
// those that are new look when they wait. It must not wait for a thread.
type Group interface{ Workers() []*Engine }

// Workers returns the thread, or those of a pool, which take what is queued for them alone before
// what is queued for any.
func (x *target) Workers() []*Engine { return x.workers }

// Wait waits for done, which threads of g will close or send to, or for cancel, and returns nil. It
// does not wait where that could be a deadlock, on a thread that one of g waits for, directly or
// through others, and returns that one.
func Wait(g Group, done, cancel <-chan struct{}) *Engine {
	e := Self()
	if e.waitForPlace(nil, done, cancel, wait{group: g}); e == nil || !e.seen.stuck {
		return nil
	}
	needed := e.seen.list[0].needs
	for _, n := range e.seen.list {
		if n.cyclic && slices.Contains(needed, n.thread) {
			return n.thread
		}
	}
	return nil // OnWake's callback has waited since
}

// WaitEnd waits for the end of something on the threads of g, which closes done or sends to it, and
// meanwhile runs the calls that they make to the caller's thread, if it is on one. It does not wait
// where that would be a deadlock. If ctx is done before the end, WaitEnd returns why.
func WaitEnd(ctx context.Context, g Group, done <-chan struct{}) error {
	Self().waitForPlace(nil, done, ctx.Done(), wait{group: g, end: true})
	return whyNot(ctx, done)
}

// A reach is the threads that a thread depends on: itself, the one that it waits for, the one that
// that waits for, and so on.
type reach struct {
	list  []reached
	stuck bool // the first would wait for ever
	final bool // also when all have gone on that can, see goesOn
	alone bool // also when threads that do not run their start have run calls, see helped
}

// A reached is a thread of a reach, and what it needs.
type reached struct {
	thread *Engine
	wait   *wait // nil if it does not wait
	round  uint64
	needs  []*Engine
	cyclic bool // it needs the first, directly or through others
}

// goesOn reports whether the thread waits for a call that a thread can run, or for a place, without
// which it goes on.
func (n *reached) goesOn() bool {
	if n.wait == nil || n.wait.call == nil {
		return n.wait == nil || !n.wait.end
	}
	return n.wait.call.Unbegun()
}

// helped reports whether the thread waits for a call that threads can run of which none runs its
// start.
func (n *reached) helped() bool {
	return n.wait != nil && n.wait.of != nil && n.wait.call != nil && n.wait.call.Unbegun() &&
		!slices.ContainsFunc(n.needs, func(y *Engine) bool { return y.starting.Load() })
}

// searches is what the searches of all threads share. A thread that waits for one that does not
// wait itself needs none.
var searches struct {
	mu    sync.Mutex
	epoch uint64
}

// search finds what e depends on if it waits for w, which it has published, and whether it is
// stuck.
func (e *Engine) search(w *wait) {
	r := &e.seen
	r.stuck = false
	if w.of != nil && w.of.pool == nil {
		if next, _ := w.of.on.waiting(); next == nil {
			return
		}
	}
	searches.mu.Lock()
	defer searches.mu.Unlock()
	e.explore(w)
	r.stuck = r.recheck()
}

// explore lists what e depends on if it waits for w. The caller holds searches.mu.
func (e *Engine) explore(w *wait) {
	searches.epoch++
	r := &e.seen
	r.list = append(r.list[:0], reached{thread: e, wait: w, round: e.rounds.Load()})
	e.epoch, e.at = searches.epoch, 0
	for i := 0; i < len(r.list); i++ {
		if r.list[i].wait == nil {
			continue
		}
		needs := r.list[i].wait.needs()
		r.list[i].needs = needs
		for _, y := range needs {
			if y.epoch != searches.epoch {
				next, round := y.waiting()
				y.epoch, y.at = searches.epoch, len(r.list)
				r.list = append(r.list, reached{thread: y, wait: next, round: round})
			}
		}
	}
}

// recheck reads all waits again, finds what needs the first, and reports whether that does itself.
// A thread whose wait has changed goes on, as far as the search can tell; the first may be stuck
// without it, if it waits for several. It may be stuck, too, without those that go on when others
// look: only if it is not, an end may be waited for.
func (r *reach) recheck() bool {
	for i := range r.list {
		n := &r.list[i]
		if w, round := n.thread.waiting(); w != n.wait || round != n.round {
			n.needs = nil
		}
	}
	first := r.list[0]
	r.final = first.wait.end && r.closes((*reached).goesOn)
	// what is helped goes on, so more is in the cycle
	r.alone = first.thread.starting.Load() && r.closes((*reached).helped)
	return r.closes(nil)
}

// closes finds what needs the first, if without is not nil but for that, and reports whether that
// does itself.
func (r *reach) closes(without func(*reached) bool) bool {
	needsFirst := func(y *Engine) bool { return y.at == 0 || r.list[y.at].cyclic }
	for changed := true; changed; {
		changed = false
		for i := len(r.list) - 1; i >= 0; i-- {
			n := &r.list[i]
			if !n.cyclic && slices.ContainsFunc(n.needs, needsFirst) && (without == nil || !without(n)) {
				n.cyclic, changed = true, true
			}
		}
	}
	return r.list[0].cyclic
}
