package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/park"
)

// When a function that runs on thread A calls thread B, A waits, and a call to A must wait for it.
// If B, in order to answer, itself waits for a call to A, directly or through other threads, then
// all wait for ever, unless A runs that call while it waits. This file detects such cycles, and
// runs the call.
//
// A waiting thread publishes in waiter.wait what it waits for, before it checks whether others wait
// for it, and before it notifies the threads that it waits for. So of two threads that begin to
// wait at the same time at least one sees the other:
//
//	the last to join a cycle      publishes its wait, then runs what it can itself, and notifies all
//	                              others in the cycle
//	each thread that is notified  looks whether one of those that it waits for waits for it, and runs
//	                              that call
//
// In a cycle of waits the call that was made last has not begun, so there is always one that can be
// run. A call is taken from its queue for this by the thread that owns the queue, together with
// what the same thread queued before, so that it is run once and in order.
//
// A thread may also wait for a place in the bounded queue of another. There is nothing to run then:
// if the other waits for this thread, directly or through others, this thread does without a place.
// It need not notify the others, because it can go on itself. A wait for an end, of another thread,
// of a pool, of a Set, or of a clock's function, is of the same kind, but runs calls as a wait for
// a call does: those that the function which is to end makes to this thread. Only if there is none
// the thread does not wait.
//
// Calls from a thread to itself never come here, not even from coroutines: they run in place. Only
// callers that have spun in vain come here, and ordinary goroutines leave again at the first look.

// A waiter is a thread that may wait for another one.
type waiter struct {
	wait      atomic.Pointer[wait] // what the thread waits for, if it does
	hasPosted atomic.Bool          // to a pool, whose backlog is to be searched in a cycle

	// only the thread's
	lastWait *wait       // which may do again
	token    *park.Token // for waits for a place; only the thread makes it
	seen     reach
}

// A wait is a call that a thread waits for, or a place in a bounded queue, or the end of a thread.
type wait struct {
	call      *callq.Call // nil for a place or an end
	on        *Engine     // whose queue it is in
	pool      *Pool       // or whose backlog
	set       *Set        // or one of which is to end
	end       bool        // it is for an end
	token     *park.Token // of a wait without a call
	abandoned bool        // abandon was true; only the thread uses it
}

// notify makes the thread that waits look again.
func (w *wait) notify() {
	if w.call != nil {
		w.call.Notify()
	} else {
		w.token.Wake()
	}
}

// publish returns what waiter.wait is to refer to: the last wait if it was equal, because others
// may still read that.
func (r *waiter) publish(w wait) *wait {
	if last := r.lastWait; last == nil || *last != w { // or it was left behind
		r.lastWait = new(wait) //threadcall:alloc when a thread waits for another one than before
		*r.lastWait = w
	}
	return r.lastWait
}

// waitFor waits, on the thread e, for w.call to be settled, or for cancel in order to withdraw
// it.
func (e *Engine) waitFor(what wait, cancel <-chan struct{}) callq.Outcome {
	w := e.publish(what)
	e.beginServing()
	defer e.endServing()
	return e.waitOn(w, cancel)
}

// waitOn is waitFor. If a function that it runs meanwhile calls Goexit, the call must not begin any
// more. If the call has begun, its end is waited for before the goroutine is unwound further, as in
// a call in place; if it panics, the panic is raised again then.
func (e *Engine) waitOn(w *wait, cancel <-chan struct{}) (o callq.Outcome) {
	ended := false
	defer func() {
		e.wait.Store(nil)
		if ended || w.abandon() {
			return
		}
		e.waitOn(w, nil)
		fault := w.call.Fault
		w.call.Drop()
		if fault != nil {
			fault.Raise()
		}
	}()
	for entered := false; ; {
		if !w.call.Park() {
			o = w.call.Outcome()
			break
		}
		e.wait.Store(w)
		if e.rescue(w) {
			entered = false // meanwhile it did not wait, and a cycle may have closed
			continue
		}
		if !entered {
			entered = true
			e.pokeAll(w)
		}
		if !waitToken(w.call, &cancel) {
			o = callq.Withdrawn
			break
		}
	}
	ended = true
	return o
}

// waitForPlace waits, on the thread e, for a place in the queue of another thread or pool, which
// what names, for that queue to be closed, or for cancel. The kind that it returns says whether it
// has got one. Without places it only waits for closed.
func (e *Engine) waitForPlace(
	places chan<- struct{}, closed, cancel <-chan struct{}, what wait,
) callq.Kind {
	if e.token == nil {
		e.token = park.NewToken(false)
	}
	what.token = e.token
	w := e.publish(what)
	e.beginServing()
	defer e.endServing()
	defer e.wait.Store(nil)
	for entered := false; ; {
		e.wait.Store(w)
		e.seen.from(w)
		cycle := e.seen.has(e)
		if w.end && e.rescue(w) { // looks after that, when a call that closes the cycle is queued
			entered = false
			continue
		}
		if cycle {
			return callq.Posted
		}
		if w.end && !entered {
			entered = true
			e.pokeAll(w)
		}
		select {
		case places <- struct{}{}:
			return callq.Placed
		case <-closed:
			return callq.Posted
		case <-cancel:
			return callq.Posted
		case <-w.token.C():
		}
	}
}

// abandon says that the call must not begin any more, because a Goexit unwinds the thread's
// goroutine. It is true if the call is gone; otherwise the thread must wait until it is settled.
func (w *wait) abandon() bool {
	switch {
	case w.abandoned, w.call == nil:
	case w.pool != nil && w.pool.take(w.call):
		w.call.Drop()
		w.abandoned = true
	default:
		w.abandoned = w.call.Abandon()
	}
	return w.abandoned
}

// pokeAll notifies all threads that e now depends on and that wait themselves.
func (e *Engine) pokeAll(w *wait) {
	e.seen.from(w)
	for _, x := range e.seen.list {
		if next := x.wait.Load(); next != nil {
			next.notify()
		}
	}
}

// rescue runs a call for a thread that waits for e while e waits for it. It is false if there was
// none.
func (e *Engine) rescue(w *wait) bool {
	e.seen.from(w)
	for _, x := range e.seen.list {
		theirs := x.wait.Load()
		if theirs == nil || theirs.call == nil || x == e {
			continue
		}
		var list *callq.Call
		back := e.q.Return
		switch {
		case theirs.on == e:
			list = e.q.TakeFrom(x.id, theirs.call)
		case theirs.pool != nil && theirs.pool == e.pool:
			list = e.pool.takeFor(x, theirs)
			back = e.pool.takeBack
		}
		if list != nil {
			e.wait.Store(nil) // while it runs that, it does not wait
			e.runList(list, w, back)
			return true
		}
	}
	return false
}

// A Set is some threads of which a waiting thread may need one to end. The zero Set is empty.
type Set struct {
	mu   sync.Mutex // held by Add and Remove
	list atomic.Pointer[[]*Engine]
}

// Add adds e.
func (s *Set) Add(e *Engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := append(slices.Clone(s.engines()), e)
	s.list.Store(&list)
}

// Remove removes e, if it is there.
func (s *Set) Remove(e *Engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.engines()), func(x *Engine) bool { return x == e })
	s.list.Store(&list)
}

func (s *Set) engines() []*Engine {
	if list := s.list.Load(); list != nil {
		return *list
	}
	return nil
}

// Wait waits for done, which threads of the set will close or send to, or for cancel, and returns
// nil. It does not wait where that could be a deadlock, on a thread that one of the set waits for,
// directly or through others, and returns that one.
func (s *Set) Wait(done, cancel <-chan struct{}) *Engine {
	e := threads.current()
	if e == nil {
		select {
		case <-done:
		case <-cancel:
		}
		return nil
	}
	e.waitForPlace(nil, done, cancel, wait{set: s})
	for _, x := range s.engines() {
		if e.seen.from(&wait{on: x}); e.seen.has(e) {
			return x
		}
	}
	return nil
}

// WaitEnd waits until all threads of the set have ended, which closes done, and meanwhile runs the
// calls that they make to the caller's thread, if it is on one. It does not wait where that would
// be a deadlock.
func (s *Set) WaitEnd(done <-chan struct{}) { threads.current().waitForEnd(done, wait{set: s}) }

// A reach is the set of threads that a wait depends on: the one that it waits for, the one that
// that waits for, and so on. A pool's call may depend on any of its threads.
type reach struct {
	list  []*Engine
	pools []*Pool // whose threads are in list
}

func (r *reach) from(w *wait) {
	r.list, r.pools = r.list[:0], r.pools[:0]
	r.add(w)
	for i := 0; i < len(r.list); i++ {
		x := r.list[i]
		w := x.wait.Load()
		if w != nil && w.call != nil && w.call.Outcome() != 0 || w != x.wait.Load() {
			w = nil // its call has been settled, so x is about to go on
		}
		if w != nil {
			r.add(w)
		}
	}
}

func (r *reach) add(w *wait) {
	switch {
	case w.on != nil:
		r.addOne(w.on)
	case w.pool == nil:
		for _, e := range w.set.engines() {
			r.addOne(e)
		}
	case !slices.Contains(r.pools, w.pool):
		r.pools = append(r.pools, w.pool)
		r.list = append(r.list, w.pool.workers...)
	}
}

func (r *reach) addOne(e *Engine) {
	if !r.has(e) {
		r.list = append(r.list, e)
	}
}

func (r *reach) has(e *Engine) bool {
	return e.pool != nil && slices.Contains(r.pools, e.pool) || slices.Contains(r.list, e)
}
