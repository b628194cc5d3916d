package callq

// A List is a first-in, first-out list of calls for one user at a time.
type List struct {
	first, last *Call
	n           int
}

// Len returns how many calls there are.
//
//threadcall:noalloc
func (l *List) Len() int { return l.n }

// Some reports whether there is any.
func (l *List) Some() bool { return l.first != nil }

// Append adds c at the end.
func (l *List) Append(c *Call) {
	c.prev, c.listed = l.last, true
	if l.last == nil {
		l.first = c
	} else {
		l.last.next.Store(c)
	}
	l.last = c
	l.n++
}

// Pop removes and returns the first call, or nil.
func (l *List) Pop() *Call {
	c := l.first
	if c != nil {
		l.Remove(c)
	}
	return c
}

// Remove removes c, and reports whether it was there. A call must be appended to one List only.
func (l *List) Remove(c *Call) bool {
	if !c.listed {
		return false
	}
	next := c.next.Load()
	if c.prev == nil {
		l.first = next
	} else {
		c.prev.next.Store(next)
	}
	if next == nil {
		l.last = c.prev
	} else {
		next.prev = c.prev
	}
	c.next.Store(nil)
	c.prev, c.listed = nil, false
	l.n--
	return true
}

// TakeFrom removes last, and the calls before it that poster has queued, and returns them, the
// oldest first. It is nil if last is not there.
func (l *List) TakeFrom(poster uintptr, last *Call) (list *Call) {
	if !last.listed {
		return nil
	}
	for c := last; c != nil; {
		before := c.prev
		if c == last || c.Poster == poster {
			l.Remove(c)
			c.next.Store(list)
			list = c
		}
		c = before
	}
	return list
}

// Return puts back what is left of a list from TakeFrom, before everything else.
func (l *List) Return(list *Call) {
	rest := l.Empty()
	for _, list := range [...]*Call{list, rest} {
		for list != nil {
			var c *Call
			c, list = pop(list)
			l.Append(c)
		}
	}
}

// Empty removes all calls and returns them, for Refuse.
func (l *List) Empty() (list *Call) {
	list = l.first
	for c := list; c != nil; c = c.next.Load() {
		c.prev, c.listed = nil, false
	}
	*l = List{}
	return list
}

// Refuse settles all calls of a list that Empty returned as Refused.
func Refuse(list *Call) { refuse(list) }
