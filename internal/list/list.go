// Package list has doubly linked lists whose nodes are part of what they list, so that nothing is
// allocated. Package container/list allocates each element.
package list

// A List is a list of nodes. The zero List is empty. It must not be copied.
type List[T any] struct {
	First, Last *Node[T]
	Len         int
}

// A Node is in one list or in none. The zero Node is in none.
type Node[T any] struct {
	Value         T
	Before, After *Node[T]
	in            *List[T]
}

// Append adds n, which is in no list, at the end.
//
//threadcall:noalloc
func (l *List[T]) Append(n *Node[T]) { l.Insert(n, l.Last) }

// Insert adds n, which is in no list, behind the node before, or at the front if that is nil.
//
//threadcall:noalloc
func (l *List[T]) Insert(n, before *Node[T]) {
	n.in, n.Before, n.After = l, before, l.First
	if before != nil {
		n.After, before.After = before.After, n
	} else {
		l.First = n
	}
	if n.After != nil {
		n.After.Before = n
	} else {
		l.Last = n
	}
	l.Len++
}

// Listed reports whether n is in a list.
func (n *Node[T]) Listed() bool { return n.in != nil }

// Remove removes n from the list that it is in, and reports whether it was in one.
//
//threadcall:noalloc
func (n *Node[T]) Remove() bool {
	l := n.in
	if l == nil {
		return false
	}
	if n.Before != nil {
		n.Before.After = n.After
	} else {
		l.First = n.After
	}
	if n.After != nil {
		n.After.Before = n.Before
	} else {
		l.Last = n.Before
	}
	l.Len--
	n.in, n.Before, n.After = nil, nil, nil
	return true
}
