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

// acquire takes a place in the queue, or waits for one, as room says, unless the caller is on the
// thread, or on one of the pool's. kind says whether the call has a place; ok is false if it is to
// be refused. self is the thread that the caller is on, if any. When cancel is closed, acquire does
// not wait any more.
//
//threadcall:noalloc
func (x *target) acquire(
	room room, self *Engine, here bool, cancel <-chan struct{},
) (kind callq.Kind, ok bool) {
	l := x.limit
	if l == nil || room == unlimited {
		return callq.Posted, true
	}
	select {
	case l.places <- struct{}{}:
		return callq.Placed, true
	default:
	}
	if here || room == gives {
		return callq.Posted, room == waits
	}
	if e := x.on; !e.own {
		defer e.endWait(e.beginWait())
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1) // also if a Goexit unwinds the caller's thread
	w := wait{of: x}
	return self.waitForPlace(l.places, l.closed, cancel, w), true //threadcall:alloc at first; sudogs
}
