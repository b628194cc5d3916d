package callq

// A List is a first-in, first-out list of calls for one user at a time.
type List struct{ first, last *Call }

// Append adds c at the end.
func (l *List) Append(c *Call) { l.first, l.last = link(l.first, l.last, c) }

// Pop removes and returns the first call, or nil.
func (l *List) Pop() *Call {
	c := l.first
	if c == nil {
		return nil
	}
	if c, l.first = Pop(c); l.first == nil {
		l.last = nil
	}
	return c
}

// Remove removes c, and tells whether it was there.
func (l *List) Remove(c *Call) bool {
	var kept List
	found := false
	for o := l.Pop(); o != nil; o = l.Pop() {
		if o == c {
			found = true
		} else {
			kept.Append(o)
		}
	}
	*l = kept
	return found
}

// Refuse settles all of them as Refused.
func (l *List) Refuse() {
	refuse(l.first)
	*l = List{}
}
