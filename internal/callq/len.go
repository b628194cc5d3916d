package callq

// Len returns how many calls are queued, and have neither begun nor been withdrawn. It follows the
// links of both lists, which the thread may change at the same time: a record that has been taken
// leads nowhere, one that is used again leads elsewhere. So the number is right if the thread takes
// nothing meanwhile, and otherwise an estimate; if the oldest call has gone, Len counts again. It
// takes time for each call, but callers and thread pay nothing: a counter would be one more cache
// line that all of them write.
//
//threadcall:noalloc
func (q *Queue) Len() (n int) {
	for range 3 {
		oldest := q.ready.Load()
		h := q.head.Load()
		if h == &closed || oldest == &closed {
			return 0
		}
		n = max(n, length(h)+length(oldest))
		if q.ready.Load() == oldest {
			break
		}
	}
	return n
}

//threadcall:noalloc
func length(c *Call) (n int) {
	for ; c != nil && c != &resting && c != &closed; c = c.next.Load() {
		if several := c.functions(); several > 0 {
			n += several
		} else if c.Unbegun() {
			n++
		}
	}
	return n
}
