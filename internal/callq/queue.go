// Package callq is the queue of calls in front of a thread: any goroutine pushes, one thread takes, nothing is
// allocated once it is warm, and whoever pushes learns whether the thread must be woken.
package callq

import (
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/freelist"
)

// A Queue is one word, head, and a list that the thread works off, ready. All that decides whether a call is ever
// lost happens to these two:
//
//	head      means
//	nil       empty, and the thread is up: it looks at head again before it rests
//	a Call    the youngest of a stack of calls; the thread is up, or somebody is waking it
//	resting   empty, and the thread will not look until it is woken
//	closed    for ever: no call will be taken
//
//	from            to         by       in
//	nil, a Call     a Call     anyone   Push: nothing more to do, the thread will look
//	resting         a Call     anyone   Push: this pusher, and no other, owes the thread a wake-up
//	nil, a Call     nil        thread   Take: the stack, turned round, becomes ready (resting instead of nil after
//	                                    RestAlways)
//	nil             resting    thread   Rest: fails if a call came, so no call can wait behind a resting thread
//	resting         nil        thread   Rise
//	any but closed  closed     anyone   Close: the calls are the closer's, who refuses them
//
//	ready           means
//	a Call          the oldest of the calls taken and not yet run, all of them older than any in head
//	nil             none
//	closed          for ever
//
//	nil             a Call     thread   Take, after it emptied head; fails if closed came, and then refuses the calls
//	a Call          its next   thread   Take
//	any but closed  closed     anyone   Close, after it closed head
//
// Each call is therefore in exactly one hand at any time: the pusher's until Push, then that of the one
// compare-and-swap that removes it from head or from ready. Push never reads a call that it finds, and only the
// thread removes calls without closing, so a record that is used again cannot confuse either (no ABA).
type Queue struct {
	head atomic.Pointer[Call]
	// The first record shares head's cache line, so that a lone call travels to the thread in one transfer of that
	// line and its outcome comes back in another.
	first Call
	_     [48]byte // spinners on head must not feel what is below; two lines, for the adjacent-line prefetcher

	firstTaken atomic.Bool // by a caller; the thread never touches it unless a call was withdrawn
	_          [63]byte

	ready atomic.Pointer[Call]
	rest  *Call // what Take leaves in head: nil, or &resting after RestAlways
	free  freelist.List[Call]
	_     [40]byte
}

var resting, closed Call

// New returns an empty queue whose thread counts as resting.
func New() *Queue {
	q := new(Queue)
	q.first.Queue = q
	q.head.Store(&resting)
	return q
}

// Get gives out a record for fn. It comes back by Put.
//
//threadcall:noalloc
func (q *Queue) Get(kind Kind, fn func(), poster uintptr) *Call {
	var c *Call
	if kind <= Withdrawable && q.firstTaken.CompareAndSwap(false, true) {
		c = &q.first
	} else {
		c = q.record()
	}
	c.state.Store(queued)
	c.Kind = kind
	c.Fn = fn
	c.Poster = poster
	return c
}

// record takes a record from the free list, or makes a slab of them.
//
//threadcall:noalloc
func (q *Queue) record() *Call {
	if c := q.free.Get(); c != nil {
		return c
	}
	slab := make([]Call, 32) //threadcall:alloc when more calls are queued than ever
	for i := range slab {
		slab[i].Queue = q
		if i > 0 {
			q.free.Put(&slab[i])
		}
	}
	return &slab[0]
}

// Put takes a record back from its owner.
//
//threadcall:noalloc
func (q *Queue) Put(c *Call) {
	if c == &q.first {
		q.firstTaken.Store(false)
		return
	}
	q.free.Put(c)
}

// Push queues c, which must come from this queue's Get. If wake is true the caller must now wake the thread, whatever
// else happens. If ok is false the queue is closed and c is still the caller's.
//
// backlog tells that the thread had not yet come to earlier calls.
//
//threadcall:noalloc
func (q *Queue) Push(c *Call) (wake, backlog, ok bool) {
	for {
		h := q.head.Load()
		switch h {
		case nil, &resting:
			if q.head.CompareAndSwap(h, c) {
				return h == &resting, false, true
			}
		case &closed:
			return false, false, false
		default:
			c.next.Store(h)
			if q.head.CompareAndSwap(h, c) {
				return false, true, true
			}
			c.next.Store(nil)
		}
	}
}

// Take removes and returns the oldest call, or nil. Only the thread may call it.
//
//threadcall:noalloc
func (q *Queue) Take() *Call {
	if q.ready.Load() != nil {
		return q.TakeReady()
	}
	c := q.grab()
	if c != nil && c.next.Load() != nil {
		var others *Call
		c, others = Pop(c)
		q.restore(others)
	}
	return c
}

// Gather makes everything that is queued ready, so that TakeReady returns what was queued before and nothing that is
// queued later. Only the thread may call it.
//
//threadcall:noalloc
func (q *Queue) Gather() {
	older := q.ready.Load()
	if older != &closed && q.ready.CompareAndSwap(older, nil) {
		if all := join(older, q.grab()); all != nil {
			q.restore(all)
		}
	}
}

// TakeReady removes and returns the oldest call that is ready, or nil. Only the thread may call it.
//
//threadcall:noalloc
func (q *Queue) TakeReady() *Call {
	for {
		r := q.ready.Load()
		if r == nil || r == &closed {
			return nil
		}
		next := r.next.Load()
		if q.ready.CompareAndSwap(r, next) {
			r.next.Store(nil)
			return r
		}
	}
}

// Pending tells whether Take would return a call.
//
//threadcall:noalloc
func (q *Queue) Pending() bool {
	if r := q.ready.Load(); r != nil {
		return r != &closed
	}
	h := q.head.Load()
	return h != nil && h != &resting && h != &closed
}

// grab empties head and returns what was there, the oldest first.
//
//threadcall:noalloc
func (q *Queue) grab() *Call {
	for {
		switch h := q.head.Load(); h {
		case &resting, &closed:
			return nil
		case nil:
			if q.rest == nil || q.head.CompareAndSwap(nil, q.rest) {
				return nil
			}
		default:
			if q.head.CompareAndSwap(h, q.rest) {
				return reverse(h)
			}
		}
	}
}

// restore makes list what is ready, after ready was found or made empty.
func (q *Queue) restore(list *Call) {
	if !q.ready.CompareAndSwap(nil, list) {
		refuse(list)
	}
}

// TakeFrom removes the calls that poster has queued, the oldest first, up to and including last if that is not nil,
// and leaves the others in their order. Only the thread may call it.
func (q *Queue) TakeFrom(poster uintptr, last *Call) (list *Call) {
	older := q.ready.Load()
	if older == &closed || !q.ready.CompareAndSwap(older, nil) {
		return nil // only Close changes ready besides the thread
	}
	return q.split(join(older, q.grab()), poster, last)
}

func (q *Queue) split(all *Call, poster uintptr, last *Call) *Call {
	var picked, others, pickedTail, othersTail *Call
	for done := false; all != nil; {
		c := all
		all = c.next.Load()
		c.next.Store(nil)
		if c.Poster == poster && !done {
			done = c == last
			picked, pickedTail = link(picked, pickedTail, c)
		} else {
			others, othersTail = link(others, othersTail, c)
		}
	}
	if others != nil {
		q.restore(others)
	}
	return picked
}

// Return puts back what is left of a list from TakeFrom, before everything else. Only the thread may call it.
func (q *Queue) Return(list *Call) {
	if list == nil {
		return
	}
	younger := q.ready.Load()
	if younger == &closed || !q.ready.CompareAndSwap(younger, nil) {
		refuse(list)
		return
	}
	q.restore(join(list, younger))
}

func link(head, tail, c *Call) (newHead, newTail *Call) {
	if tail == nil {
		return c, c
	}
	tail.next.Store(c)
	return head, c
}

func join(older, younger *Call) *Call {
	if older == nil {
		return younger
	}
	tail := older
	for n := tail.next.Load(); n != nil; n = tail.next.Load() {
		tail = n
	}
	tail.next.Store(younger)
	return older
}

func reverse(stack *Call) (list *Call) {
	for stack != nil {
		c := stack
		stack = c.next.Load()
		c.next.Store(list)
		list = c
	}
	return list
}

// Pop takes the first call off a list that TakeFrom returned.
func Pop(list *Call) (first, rest *Call) {
	rest = list.next.Load()
	list.next.Store(nil)
	return list, rest
}

// Rest says that the thread will not look until it is woken. It is false, and nothing has changed, if there is
// something to take or the queue is closed.
//
//threadcall:noalloc
func (q *Queue) Rest() bool {
	if q.ready.Load() != nil {
		return false
	}
	return q.head.CompareAndSwap(nil, &resting) || q.head.Load() == &resting
}

// Resting tells whether nothing has happened since Rest.
func (q *Queue) Resting() bool { return q.head.Load() == &resting }

// Rise says that the thread is up, by itself or because it was woken.
//
//threadcall:noalloc
func (q *Queue) Rise() { q.head.CompareAndSwap(&resting, nil) }

// RestAlways sets whether the thread counts as resting even while it runs what it took. That suits a thread that
// lives in somebody else's event loop, to which any function may return it. Only the thread may call it.
func (q *Queue) RestAlways(always bool) {
	if q.rest = nil; always {
		q.rest = &resting
	}
}

// RestsAlways tells whether RestAlways has been called.
func (q *Queue) RestsAlways() bool { return q.rest != nil }

// Close refuses every call that is queued and all that will be. If wake is true the caller must now wake the thread.
func (q *Queue) Close() (wake bool) {
	h := q.head.Swap(&closed)
	if h == &closed {
		return false
	}
	if r := q.ready.Swap(&closed); r != nil && r != &closed {
		refuse(r)
	}
	if h == nil || h == &resting {
		return h == &resting
	}
	refuse(reverse(h))
	return false
}

// Closed tells whether Close has been called.
func (q *Queue) Closed() bool { return q.head.Load() == &closed }

func refuse(list *Call) {
	for list != nil {
		var c *Call
		c, list = Pop(list)
		switch c.Kind {
		case Withdrawable:
			if c.Start() {
				c.Settle(Refused)
			}
		case Awaited:
			c.Settle(Refused)
		default:
			c.Fn = nil
			c.Queue.Put(c)
		}
	}
}
