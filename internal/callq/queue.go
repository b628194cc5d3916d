// Package callq is the queue of calls in front of a thread: any goroutine pushes, one thread takes,
// nothing is allocated once it is warm, and a pusher learns whether the thread must be woken.
package callq

import (
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/freelist"
)

// A Queue is one word, head, and a list from which the thread takes, ready. These two alone decide
// whether a call is ever lost:
//
//	head      means
//	nil       empty, and the thread is up: it looks at head again before it rests
//	a Call    the youngest of a stack of calls; the thread is up, or a goroutine is waking it
//	resting   empty, and the thread will not look until it is woken
//	closed    for ever: no call will be taken
//
//	from          to           by      in
//	nil, a Call   a Call       anyone  Push: nothing more to do, the thread will look
//	resting       a Call       anyone  Push, Post: this pusher, and no other, owes the thread a
//	                                   wake-up
//	nil, a Call   nil          thread  grab: the stack, turned round, is appended to ready (resting
//	                                   instead of nil after RestAlways)
//	nil           resting      thread  Rest: fails if a call came, so none waits behind a resting
//	                                   thread
//	nil           resting      anyone  Rest, for a host that is up: the next pusher wakes it
//	resting       nil          thread  Awake
//	any           closed       anyone  Close, which refuses the calls that it found
//	nil, resting  closed       thread  Seal: fails if a call came
//
//	ready           means
//	a Call          the oldest call taken and not yet run; all are older than those in head
//	nil             none, or the thread has the list in hand
//	closed          for ever
//
//	from          to           by      in
//	a Call        its next     thread  TakeUntil; of a block, when all have been taken
//	nil, a Call   a block      thread  begin: it has more functions; fails if closed came, and then
//	                                   the thread refuses them
//	a Call        nil          thread  Mark, TakeOutOfTurn: the thread has the list in hand in order
//	                                   to change it
//	nil           a Call       thread  afterwards, or when the list was empty; fails if closed came,
//	                                   and then the thread refuses the calls
//	any           closed       anyone  Close, after it closed head
//
// Each call therefore has exactly one owner at any time: the pusher until Push, then the side whose
// compare-and-swap removes it from head or from ready; the functions of a block likewise.
// Push never reads a call that it finds, Post only whether it is a block, and in which life, and
// only the thread removes calls without closing. So a record that is used again confuses neither
// (no ABA).
//
// Get, Put, Several, Push, Post, Rest, Close, Closed, Pending, Resting and Len may be called by
// any goroutine, all other methods only by the thread: by its serving goroutine, or by a coroutine
// while that has the thread. Len only reads, see len.go.
type Queue struct {
	Owner // does not change

	free    freelist.List[Call] // of any kind but Posts
	blocks  freelist.List[Call] // of that
	near    freelist.Near[Call]
	made    atomic.Int64 // records in any of them; tests compare
	walks   uint32       // of Oldest
	bubbled bool         // made in a bubble of testing/synctest, and used only there

	// The allocator aligns this to a cache line, behind the 56 bytes before and a header of its own.
	// The first record shares the line, so that a lone call travels to the thread in one transfer of
	// that line and its outcome comes back in another.
	head  atomic.Pointer[Call]
	first Call
	// A post to a thread that rests takes no record from elsewhere: after a pause each line and each
	// page that it reads costs it a third of a microsecond.
	firstBlock Call

	taken, blockTaken atomic.Bool // the first record and block, by a caller and a poster
	several           atomic.Bool // see Several
	_                 [44]byte    // these, what the thread writes, and the rest have a line each

	ready   atomic.Pointer[Call]
	last    *Call  // of ready, unless that is nil or closed
	rest    *Call  // what grab leaves in head: nil, or &resting after RestAlways
	marked  Mark   // the last that was made
	passed  Mark   // the last before which all has been taken
	grabs   uint64 // how often the thread has emptied head
	chained *Call  // in ready: up to it, each knows the one before it, see TakeOutOfTurn; or nil
}

// An Owner is told of each posted call that Close refuses. Other calls have callers.
type Owner interface{ Refused() }

var resting, closed Call

// New returns an empty queue whose thread counts as resting.
func New() *Queue {
	q := &Queue{bubbled: clock.InBubble()}
	q.first.init(q, Awaited)
	q.firstBlock.init(q, Posts)
	q.head.Store(&resting)
	return q
}

// Several says whether several goroutines call at the same time. Then each thread that they are on
// keeps a record for calls. A lone caller has the first record, which is in the line of head.
//
//threadcall:noalloc
func (q *Queue) Several(yes bool) {
	if q.several.Load() != yes {
		q.several.Store(yes)
	}
}

// Get gives out a record for fn. It comes back by Put.
//
//threadcall:noalloc
func (q *Queue) Get(kind Kind, fn func(), poster uintptr) *Call {
	var c *Call
	if kind <= Withdrawable {
		if q.several.Load() {
			c = q.near.Get()
		}
		if c == nil && !q.taken.Load() && q.taken.CompareAndSwap(false, true) {
			c = &q.first
		}
	}
	if c == nil {
		c = q.record(&q.free, kind)
	}
	if s := uint64(poster)<<posterBits | queued; c.state.Load() != s {
		c.state.Store(s)
	}
	c.Kind, c.tries = kind, false
	c.Fn = fn
	return c
}

// slabSize is how many records are made at once.
const slabSize = 32

// record takes a record from a free list, or makes a slab of them.
//
//threadcall:noalloc
func (q *Queue) record(free *freelist.List[Call], kind Kind) *Call {
	if c := free.Get(); c != nil {
		return c
	}
	slab := make([]Call, slabSize) //threadcall:alloc when more calls are queued than ever
	q.made.Add(int64(len(slab)))
	for i := range slab {
		slab[i].init(q, kind)
		if i > 0 {
			free.Put(&slab[i])
		}
	}
	return &slab[0]
}

// Put takes a record back from its owner.
//
//threadcall:noalloc
func (q *Queue) Put(c *Call) {
	switch {
	case c == &q.first:
		q.taken.Store(false)
	case c == &q.firstBlock:
		q.blockTaken.Store(false)
	case c.Kind == Posts:
		q.blocks.Put(c) // or the collector has it
	case c.Kind > Withdrawable || !q.several.Load() || !q.near.Put(c):
		q.free.Put(c)
	}
}

// Push queues c, which must come from this queue's Get. If wake is true the caller must now wake
// the thread, whatever else happens. If ok is false the queue is closed and c is still the
// caller's.
//
// backlog reports that the thread had not yet come to earlier calls.
//
//threadcall:noalloc
func (q *Queue) Push(c *Call) (wake, backlog, ok bool) {
	for {
		h := q.head.Load()
		switch h {
		case nil, &resting:
			if q.head.CompareAndSwap(h, c) {
				return h != nil, false, true
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

// Take removes and returns the oldest call, or nil.
//
//threadcall:noalloc
func (q *Queue) Take() *Call {
	if q.ready.Load() != nil {
		if c := q.TakeUntil(everything); c != nil {
			return c
		}
	}
	c, last := q.grab()
	if c == nil {
		return nil
	}
	if c != last {
		var others *Call
		c, others = pop(c)
		q.restore(others, last)
	}
	if c.Kind == Posts {
		return q.begin(c)
	}
	return c
}

// A Mark stands behind all that was queued at some time: behind a call in ready that has marks.
// These have the numbers from passed+1 to marked, in their order.
type Mark uint64

const everything = ^Mark(0)

// Mark makes everything that is queued ready, and returns a mark behind it. If ok is false nothing
// is queued.
//
//threadcall:noalloc
func (q *Queue) Mark() (m Mark, ok bool) {
	list, last := q.all()
	if list == nil {
		return 0, false
	}
	if last.marks == 0 {
		last.marks = 1
		q.marked++
	}
	q.restore(list, last)
	return q.marked, true
}

// all takes all calls in hand, if there are any and the queue is not closed.
func (q *Queue) all() (list, last *Call) {
	older := q.ready.Load()
	if older == &closed || older != nil && !q.ready.CompareAndSwap(older, nil) {
		return nil, nil // only Close changes ready besides the thread
	}
	younger, youngest := q.grab()
	switch {
	case older == nil:
		return younger, youngest
	case younger != nil:
		q.last.next.Store(younger)
		return older, youngest
	}
	return older, q.last
}

// TakeUntil removes and returns the oldest call before m, or nil. Marks are passed in their order,
// so a function that runs meanwhile may itself take calls up to a mark, or beyond this one.
//
//threadcall:noalloc
func (q *Queue) TakeUntil(m Mark) *Call {
	r := q.ready.Load()
	if r == nil || r == &closed || q.passed >= m {
		return nil
	}
	if r.Kind == Posts {
		return q.takePart(r)
	}
	next := r.next.Load()
	if !q.ready.CompareAndSwap(r, next) {
		return nil // only Close changes ready besides the thread
	}
	r.next.Store(nil)
	if q.chained != nil {
		q.unchain(r, next)
	}
	q.left(r)
	return r
}

// left passes the marks behind c, as it was the first of ready and has left.
//
//threadcall:noalloc
func (q *Queue) left(c *Call) {
	if c.marks != 0 {
		q.passed += Mark(c.marks)
		c.marks = 0
	}
}

// Pending reports whether Take may return a call.
//
//threadcall:noalloc
func (q *Queue) Pending() bool {
	if r := q.ready.Load(); r != nil {
		return r != &closed
	}
	h := q.head.Load()
	return h != nil && h != &resting && h != &closed
}

// grab empties head, but for rest, and returns what was there, the oldest first.
//
//threadcall:noalloc
func (q *Queue) grab() (list, last *Call) {
	for {
		switch h := q.head.Load(); h {
		case &resting, &closed:
			return nil, nil
		case nil:
			if q.rest == nil || q.head.CompareAndSwap(nil, q.rest) {
				return nil, nil
			}
		default:
			if q.head.CompareAndSwap(h, q.rest) {
				q.grabs++
				return reverse(h), h
			}
		}
	}
}

// Grabs returns how often the thread has taken all that was queued. Between two of them, it has
// taken the calls that were queued together.
//
//threadcall:noalloc
func (q *Queue) Grabs() uint64 { return q.grabs }

// restore makes list the ready list, after ready was found or made empty. If the queue has been
// closed meanwhile, it refuses list.
//
//threadcall:noalloc
func (q *Queue) restore(list, last *Call) {
	q.last = last
	if !q.ready.CompareAndSwap(nil, list) {
		refuse(list)
	}
}

func reverse(stack *Call) (list *Call) {
	if stack.next.Load() == nil { // a lone call, whose cache line its caller is waiting for
		return stack
	}
	for stack != nil {
		c := stack
		stack = c.next.Load()
		c.next.Store(list)
		list = c
	}
	return list
}

// pop takes the first call off a list.
func pop(list *Call) (first, rest *Call) {
	rest = list.next.Load()
	list.next.Store(nil)
	return list, rest
}

// Rest says that the thread will not look until it is woken. It is false, and nothing has changed,
// if there is something to take or the queue is closed. If it is true and Resting is not, the
// thread must look.
//
//threadcall:noalloc
func (q *Queue) Rest() bool {
	if q.ready.Load() != nil {
		return false
	}
	if q.head.CompareAndSwap(nil, &resting) {
		return true
	}
	return q.head.Load() == &resting
}

// Resting reports whether nothing has happened since Rest.
func (q *Queue) Resting() bool { return q.head.Load() == &resting }

// Awake says that the thread is up, by itself or because it was woken. It is true if the thread was
// resting.
//
//threadcall:noalloc
func (q *Queue) Awake() bool {
	return q.head.Load() == &resting && q.head.CompareAndSwap(&resting, nil)
}

// RestAlways sets whether the thread counts as resting even while it runs what it took. That suits
// a thread that lives in a host's event loop, to which any function may return it.
func (q *Queue) RestAlways(always bool) {
	if q.rest = nil; always {
		q.rest = &resting
	}
}

// RestsAlways reports whether RestAlways has been called.
func (q *Queue) RestsAlways() bool { return q.rest != nil }

// Close refuses every call that is queued and all that will be. Several goroutines may call it at
// the same time, and each closes both lists: when one has returned, nothing is taken any more,
// although another may still refuse the calls that it found. If wake is true, the thread may be
// resting or has left calls, and what owes it a wake-up, the thread itself if it is to announce
// these, a pusher or another caller of Close, may not have come to it.
func (q *Queue) Close() (wake bool) {
	h := q.head.Swap(&closed)
	r := q.ready.Swap(&closed)
	if r != &closed {
		refuse(r)
	}
	switch h {
	case nil, &resting, &closed:
	default:
		refuse(reverse(h))
	}
	return h != nil || r != nil
}

// Seal closes the queue if it is empty; then it is true, or if it was closed.
func (q *Queue) Seal() (closes bool) {
	if r := q.ready.Load(); r != nil {
		return r == &closed
	}
	h := q.head.Load()
	return h == &closed || (h == nil || h == &resting) && q.head.CompareAndSwap(h, &closed)
}

// Closed reports whether Close or Seal has closed the queue.
//
//threadcall:noalloc
func (q *Queue) Closed() bool { return q.head.Load() == &closed }

// refuse refuses the calls of a list.
func refuse(list *Call) {
	for list != nil {
		var c *Call
		c, list = pop(list)
		c.Refuse()
	}
}

// Refuse settles a call as Refused, unless it was withdrawn.
func (c *Call) Refuse() {
	switch {
	case c.Kind == Posts:
		c.refuseAll()
	case c.Kind == Control:
		c.Drop()
	case !c.claim():
	case c.Kind <= Withdrawable:
		c.Settle(Refused)
	default:
		if c.Queue.Owner != nil {
			c.Queue.Refused()
		}
		c.Drop()
	}
}
