package callq

// Where threads wait for each other in a cycle, one of them must begin a call before what others
// have queued. The calls of the thread that waits for it begin in their order: the oldest first, up
// to the one that it waits for. They are found by their links, Earlier, from the youngest on, and
// taken from the list, which is linked in both directions for that. So neither costs a walk over
// what others have queued.
//
// Of the calls of one thread, those that have left the queue are older than all that have not. So
// the links end with the first that is not queued by that thread; Earlier may lead to a record that
// is used again, even by the same thread and for the same queue, which walk tells.

// Oldest returns the oldest call of poster that is queued, if last is, and otherwise nil. Later of
// each that it has passed is the next one.
// poster, which is not zero, has pushed last and then nothing else, and waits. The caller is the
// thread of the queue, or holds the lock of the pool to whose backlog last belongs.
func Oldest(poster uintptr, last *Call, backlog bool) (oldest *Call) {
	q := last.Queue
	q.walks++
	for c := last; c != nil && c.walk != q.walks; c = c.Earlier.Load() {
		s := c.state.Load()
		if uintptr(s>>posterBits) != poster || backlog && !c.Node.Listed() {
			break
		}
		if s&phase == queued {
			oldest, c.Later = c, oldest
		} else if s&phase != withdrawn || c == last {
			break
		}
		c.walk = q.walks
	}
	return oldest
}

// Linked reports whether poster has queued c, and Oldest may have to pass over it.
func (c *Call) Linked(poster uintptr) bool {
	s := c.state.Load()
	return uintptr(s>>posterBits) == poster && (s&phase == queued || s&phase == withdrawn)
}

// Queued reports whether c has been queued by poster and has not begun. Others than the caller of
// Oldest may be wrong when the call has been taken and does neither serve nor wait.
func (c *Call) Queued(poster uintptr) bool {
	s := c.state.Load()
	return uintptr(s>>posterBits) == poster && s&phase == queued
}

// Unbegun reports whether c waits in its queue, for all that is known: a call that was taken and
// neither serves nor waits is not known to have begun.
func (c *Call) Unbegun() bool { return c.state.Load()&phase == queued }

// TakeOutOfTurn takes a call that Oldest has returned. It is false if Close refuses the call.
//
// Each call of ready up to chained knows the one before it, and the first knows none. The others
// learn it here, so that costs each of them a step, however often the thread takes one so.
func (q *Queue) TakeOutOfTurn(c *Call) bool {
	list, last := q.all()
	if list == nil {
		return false
	}
	if q.Closed() { // and so the call may have been in head then
		q.restore(list, last)
		return false
	}
	if q.chained == nil {
		q.chained = list
	}
	for next := q.chained.next.Load(); next != nil; next = next.next.Load() {
		next.Node.Before = &q.chained.Node
		q.chained = next
	}
	next := c.next.Load()
	if before := c.Node.Before; before == nil {
		q.unchain(c, next)
		q.left(c)
		list = next
	} else {
		previous := before.Value
		previous.next.Store(next)
		previous.marks += c.marks
		c.Node.Before, c.marks = nil, 0
		if next != nil {
			next.Node.Before = before
		} else {
			last, q.chained = previous, previous
		}
	}
	c.next.Store(nil)
	if list != nil {
		q.restore(list, last)
	}
	return true
}

// unchain is called when first, the first of ready, has left that, and next is the first now.
func (q *Queue) unchain(first, next *Call) {
	if first == q.chained {
		q.chained = nil
	} else {
		next.Node.Before = nil
	}
}
