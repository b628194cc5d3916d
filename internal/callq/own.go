package callq

// What a thread posts to itself waits among the calls of others, in the order in which all were
// queued. But a nested call must run what the thread has posted before, without searching a queue
// that may be long. So the thread appends such a call to ready itself, behind all that has been
// queued so far, and links it in two more ways: to the next of its own, and to the call before it,
// so that it can take the call out of the list before its turn.
//
// ready is the only place where these calls are. Close takes them together with it: once ready is
// closed, the thread must not touch any of them any more.
type mine struct {
	first, last   *Call  // linked by nextMine; no longer valid when the queue has been closed
	posted, taken uint64 // how many there have been, and how many have left
}

func (m *mine) append(c *Call) {
	if m.first == nil {
		m.first = c
	} else {
		m.last.nextMine = c
	}
	m.last = c
	m.posted++
}

// pop removes the oldest.
func (m *mine) pop() {
	c := m.first
	m.first, c.nextMine = c.nextMine, nil
	m.taken++
}

// PushOwn queues a posted call that the thread gives to itself. If wake is true the thread counted
// as resting, and its host must be woken. It does not count as resting any more, since the host has
// been notified. If ok is false the queue is closed and c is still the caller's.
//
//threadcall:noalloc
func (q *Queue) PushOwn(c *Call) (wake, ok bool) {
	list, last, ok := q.all(nil)
	if !ok {
		return false, false
	}
	c.Kind |= own
	c.prev = last
	if list == nil {
		list = c
	} else {
		last.next.Store(c)
	}
	q.mine.append(c)
	q.restore(list, c) // or it is refused, as if Close had come later
	if q.rest == nil {
		return false, true
	}
	q.Heed() // the thread looks before it rests
	return q.Awake(), true
}

// HasOwn reports whether the thread has posted anything to itself that has not been taken.
//
//threadcall:noalloc
func (q *Queue) HasOwn() bool { return q.mine.posted != q.mine.taken }

// OwnUntil returns a number for TakeOwn, which means all that the thread has posted to itself until
// now.
//
//threadcall:noalloc
func (q *Queue) OwnUntil() uint64 { return q.mine.posted }

// TakeOwn takes the oldest call that the thread has posted to itself, if it was posted before
// OwnUntil returned until, or returns nil.
//
//threadcall:noalloc
func (q *Queue) TakeOwn(until uint64) *Call {
	if q.mine.taken >= until {
		return nil
	}
	r := q.ready.Load()
	if r == &closed || !q.ready.CompareAndSwap(r, nil) {
		return nil
	}
	c := q.mine.first
	before, next := c.prev, c.next.Load()
	if c == r {
		before = nil // what was before has been taken
		r = next
	} else {
		before.next.Store(next)
	}
	if next == nil {
		q.last = before
	} else {
		next.follows(before)
	}
	q.skipped.taken(c, before)
	c.next.Store(nil)
	if r != nil {
		q.restore(r, q.last)
	}
	q.took(c)
	return c
}

// took is what happens to a call that the thread has taken, if it is one of its own.
//
//threadcall:noalloc
func (q *Queue) took(c *Call) {
	if c.Kind&own != 0 {
		q.mine.pop()
		c.Kind &^= own
		c.prev = nil
	}
}

// follows says which call is before c in ready, or that none is. Only the thread's own calls need
// to know.
func (c *Call) follows(before *Call) {
	if c.Kind&own != 0 {
		c.prev = before
	}
}
