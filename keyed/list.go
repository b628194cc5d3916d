package keyed

// A list is a list of nodes. Its zero value is empty.
type list[T any] struct {
	first, last *node[T]
	n           int
}

// A node is in one list or in none.
type node[T any] struct {
	v             T
	in            *list[T]
	before, after *node[T]
}

// insert puts n, which is in no list, behind the node before, or at the front if that is nil.
//
//threadcall:noalloc
func (l *list[T]) insert(n, before *node[T]) {
	n.in, n.before, n.after = l, before, l.first
	if before != nil {
		n.after, before.after = before.after, n
	} else {
		l.first = n
	}
	if n.after != nil {
		n.after.before = n
	} else {
		l.last = n
	}
	l.n++
}

// remove removes n from the list that it is in, if any.
//
//threadcall:noalloc
func (n *node[T]) remove() {
	l := n.in
	if l == nil {
		return
	}
	if n.before != nil {
		n.before.after = n.after
	} else {
		l.first = n.after
	}
	if n.after != nil {
		n.after.before = n.before
	} else {
		l.last = n.before
	}
	l.n--
	n.in, n.before, n.after = nil, nil, nil
}
