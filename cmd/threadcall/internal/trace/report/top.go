package report

import (
	"cmp"
	"slices"
)

// A Top keeps the best of the values that it is offered.
type Top[T any] struct {
	Kept   []T // the best first
	n      int
	better func(a, b T) bool
}

// NewTop returns one that keeps n values.
func NewTop[T any](n int, better func(a, b T) bool) Top[T] { return Top[T]{[]T{}, n, better} }

// Wants reports whether x would be kept.
func (t *Top[T]) Wants(x T) bool {
	return len(t.Kept) < t.n || t.better(x, t.Kept[len(t.Kept)-1])
}

// Offer keeps x if it is among the best so far. Of equal values the first is kept.
func (t *Top[T]) Offer(x T) {
	if !t.Wants(x) {
		return
	}
	if len(t.Kept) == t.n {
		t.Kept = t.Kept[:t.n-1]
	}
	i, _ := slices.BinarySearchFunc(t.Kept, x, func(a, x T) int {
		if t.better(x, a) {
			return 1
		}
		return -1
	})
	t.Kept = slices.Insert(t.Kept, i, x)
}

// Longest returns a Top that keeps the 1,000 longest intervals.
func Longest() Top[Interval] {
	return NewTop(1000, func(a, b Interval) bool { return a.Length > b.Length })
}

// InOrder returns intervals in the order of time.
func InOrder(t Top[Interval]) []Interval {
	list := slices.Clone(t.Kept)
	slices.SortFunc(list, func(a, b Interval) int { return cmp.Compare(a.At, b.At) })
	return list
}
