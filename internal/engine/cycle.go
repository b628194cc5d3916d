package engine

import (
	"slices"
	"sync"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/ident"
)

// When a function that runs on thread A calls thread B, A waits, and a call to A must wait for it. If B, in order to
// answer, itself waits for a call to A, be it directly or by way of other threads, then everybody waits for ever,
// unless A runs that call while it waits. This file finds out, and does so.
//
// A thread that waits says for what in Engine.wait, before it looks whether others wait for it, and before it pokes
// those that it waits for. So of two threads that begin to wait at the same time at least one sees the other:
//
//	the last to join a cycle     publishes its wait, then runs what it can itself, and pokes all others in the cycle
//	each thread that is poked    looks whether one of those that it waits for waits for it, and runs that call
//
// In a cycle of waits the call that was made last has not begun, so there is always one that can be run. A call is
// taken from its queue for this by the thread that owns the queue, together with what the same goroutine queued
// before, so that it is run once and in order.
//
// Only callers that have spun in vain come here, and ordinary goroutines leave again at the first look.

// A wait is a call that a thread waits for.
type wait struct {
	call *callq.Call
	on   *Engine // whose queue it is in
	pool *Pool   // or whose backlog
	g    uintptr // the goroutine that waits
}

// waitFor waits, on the thread e, for what.call to be settled, or for done in order to withdraw it.
func (e *Engine) waitFor(what wait, done <-chan struct{}) callq.Outcome {
	w := e.lastWait
	if w == nil || *w != what { // others may still read the old one
		w = new(wait)
		*w = what
		e.lastWait = w
	}
	if w.on == e {
		// The caller is a coroutine on the very thread that it called: the serving goroutine is suspended below it.
		e.runFrom(w.g, w.call)
		return w.call.Outcome()
	}
	if w.pool != nil && w.pool == e.pool && w.pool.take(w.call) {
		e.run(w.call) // likewise, a coroutine on a thread of the pool that it called
		return w.call.Outcome()
	}
	e.begin()
	defer e.end()
	outer := e.wait.Load()
	ended := false
	defer func() {
		e.wait.Store(outer)
		if !ended {
			w.call.Orphan() // a function that was run meanwhile has called Goexit
		}
	}()
	o := withdrawn
	for entered := false; ; {
		if !w.call.Doze() {
			o = w.call.Outcome()
			break
		}
		e.wait.Store(w)
		if e.rescue() {
			entered = false // meanwhile it did not wait, and a cycle may have closed
			continue
		}
		if !entered {
			entered = true
			e.seen = w.reach(e.seen[:0])
			for _, x := range e.seen {
				if next := x.wait.Load(); next != nil {
					next.call.Poke()
				}
			}
		}
		if !sleepOn(w.call, &done) {
			break
		}
	}
	ended = true
	return o
}

// reach returns the threads that w depends on: the one that it waits for, the one that that waits for, and so on. A
// pool's call may depend on any of its threads.
func (w *wait) reach(seen []*Engine) []*Engine {
	next := []*Engine{w.on}
	if w.pool != nil {
		next = w.pool.workers
	}
	for _, e := range next {
		if slices.Contains(seen, e) {
			continue
		}
		seen = append(seen, e)
		if further := e.wait.Load(); further != nil {
			seen = further.reach(seen)
		}
	}
	return seen
}

// rescue runs a call for a thread that waits for e while e waits for it. It is false if there was none.
func (e *Engine) rescue() bool {
	e.seen = e.wait.Load().reach(e.seen[:0])
	for _, x := range e.seen {
		w := x.wait.Load()
		if w == nil || x == e {
			continue
		}
		var list *callq.Call
		switch {
		case w.on == e:
			list = e.q.TakeFrom(w.g, w.call)
		case w.pool != nil && w.pool == e.pool && w.pool.take(w.call):
			list = w.call
		}
		if list != nil {
			e.wait.Store(nil) // while it runs that, it does not wait
			e.runList(list)
			return true
		}
	}
	return false
}

// threads finds the engine that a goroutine or a thread serves.
var threads registry

type registry struct {
	mu   sync.RWMutex
	byG  map[uintptr]*Engine
	byID map[uint64]*Engine
}

func (r *registry) add(e *Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byG == nil {
		r.byG, r.byID = map[uintptr]*Engine{}, map[uint64]*Engine{}
	}
	r.byG[e.g.Load()] = e
	if tid := e.tid.Load(); tid != 0 {
		r.byID[tid] = e
	}
}

func (r *registry) remove(e *Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g := e.g.Load(); r.byG[g] == e {
		delete(r.byG, g)
	}
	if tid := e.tid.Load(); r.byID[tid] == e {
		delete(r.byID, tid)
	}
}

// current returns the engine whose thread the caller is on, or nil. It is not on that of other, which may be nil.
func (r *registry) current(other *Engine) *Engine {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.byG[ident.G()]; e != nil {
		return e
	}
	if other != nil && len(r.byID) == 1 && r.byID[other.tid.Load()] == other {
		return nil // nobody else is known
	}
	return r.byID[ident.Thread()] // a system call; byID never has zero
}

// serves tells whether g is the goroutine that serves some engine.
func (r *registry) serves(g uintptr) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byG[g] != nil
}
