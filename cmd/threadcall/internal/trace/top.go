package trace

import (
	"cmp"
	"slices"
)

// A top keeps the n best of what it is offered.
type top[T any] struct {
	n      int
	better func(a, b T) bool
	kept   []T // the best first
}

// wants tells whether x would be kept.
func (t *top[T]) wants(x T) bool {
	return len(t.kept) < t.n || t.better(x, t.kept[len(t.kept)-1])
}

func (t *top[T]) offer(x T) {
	if !t.wants(x) {
		return
	}
	i, _ := slices.BinarySearchFunc(t.kept, x, func(a, x T) int {
		if t.better(x, a) {
			return 1
		}
		return -1 // who came first stays before those that are as good
	})
	if len(t.kept) == t.n {
		t.kept = t.kept[:t.n-1]
	}
	t.kept = slices.Insert(t.kept, i, x)
}

// longest keeps the n longest intervals.
func longest(n int) top[Interval] {
	return top[Interval]{n: n, better: func(a, b Interval) bool { return a.Length > b.Length }}
}

// inOrder returns the intervals in the order of time.
func inOrder(t top[Interval]) []Interval {
	list := append([]Interval{}, t.kept...)
	slices.SortFunc(list, func(a, b Interval) int { return cmp.Compare(a.At, b.At) })
	return list
}
