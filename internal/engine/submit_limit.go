package engine

import (
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
)

// A limit bounds how many posted calls are queued. A nil limit does not.
//
// A call holds a place from before it is queued until it is taken to run. When the queue takes no
// more posted calls, closed lets every poster through, to be refused. A poster that the thread
// itself waits for does not wait: the thread would never make a place free.
type limit struct {
	places  chan struct{}
	closed  chan struct{}
	waiting atomic.Int32 // posters
}

func newLimit(n int) *limit {
	if n <= 0 {
		return nil
	}
	return &limit{places: make(chan struct{}, n), closed: make(chan struct{})}
}

// acquire takes a place in the queue of a thread or of a pool, and waits for one unless the caller
// is on that thread, or on one of the pool's. It returns the kind that says whether the call has a
// place. self is the thread that the caller is on, if any. When cancel is closed, it does not wait
// any more.
//
//threadcall:noalloc
func (l *limit) acquire(self, on *Engine, pool *Pool, cancel <-chan struct{}) callq.Kind {
	if kind, ok := l.tryAcquire(); ok {
		return kind
	}
	if self != nil && (self == on || pool != nil && self.pool == pool) {
		return callq.Posted
	}
	if on != nil && !on.own {
		defer on.endWait(on.beginWait())
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1) // also if a Goexit unwinds the caller's thread
	if self != nil {
		w := wait{on: on, pool: pool}
		return self.waitForPlace(l.places, l.closed, cancel, w) //threadcall:alloc at first; sudogs
	}
	select { //threadcall:alloc the runtime's sudogs, when its caches are empty
	case l.places <- struct{}{}:
		return callq.Placed
	case <-l.closed:
	case <-cancel:
	}
	return callq.Posted
}

// tryAcquire is acquire for a poster that does not wait. It is false if there is no place.
//
//threadcall:noalloc
func (l *limit) tryAcquire() (callq.Kind, bool) {
	if l == nil {
		return callq.Posted, true
	}
	select {
	case l.places <- struct{}{}:
		return callq.Placed, true
	default:
		return callq.Posted, false
	}
}

// release gives a place back.
func (l *limit) release() { <-l.places }

// close is called once.
func (l *limit) close() {
	if l != nil {
		close(l.closed)
	}
}
