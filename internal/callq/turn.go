package callq

// Where threads wait for each other in a cycle, one of them must begin a call before what others
// have queued. The calls of the thread that waits for it begin in their order: the oldest first, up
// to the one that it waits for. They are found by their links, Earlier, from the youngest on, and
// stay in the list until the thread reaches them there or sweeps it. So neither costs a walk over
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

// BeginOutOfTurn begins a call that Oldest has returned, for poster. It is false if Close has
// refused the call.
func (c *Call) BeginOutOfTurn(poster uintptr) bool {
	for {
		s := c.state.Load()
		if uintptr(s>>posterBits) != poster || s&phase != queued {
			return false
		}
		if c.state.CompareAndSwap(s, s|started) {
			break
		}
	}
	c.linked = true
	q := c.Queue
	if n := q.linked.Add(1); n >= sweepAfter && n > q.made.Load()/2 {
		q.sweep()
	}
	return true
}

// sweepAfter is how many calls that have begun out of their turn may be in the lists. Above half of
// all records that there are, the thread sweeps them out: so a sweep, which passes over what others
// have queued, costs each of them two steps at most, and memory is bound by what was queued.
const sweepAfter = 64

// sweep removes the calls that have begun out of their turn, but for those with a mark behind them.
func (q *Queue) sweep() {
	var c, first, last *Call
	for list, _ := q.all(); list != nil; {
		if c, list = pop(list); c.linked && !c.marked {
			q.pass(c)
			continue
		}
		if first == nil {
			first = c
		} else {
			last.next.Store(c)
		}
		last = c
	}
	if first != nil {
		q.restore(first, last)
	}
}

// pass lets go of a call that has begun out of its turn and was taken from its list.
func (q *Queue) pass(c *Call) {
	q.linked.Add(-1)
	c.letGo(queueLetGo)
}
