package report

import (
	"math/bits"
	"slices"
)

// A Distribution summarizes numbers. N, Sum, Min and Max are exact. A quantile is the middle of a
// class, of which there are eight from each power of two to the next, so it is wrong by at most
// 6.25 %; below 16 it is exact.
type Distribution struct {
	N   uint64  `json:"n"`
	Sum float64 `json:"sum"`
	Min float64 `json:"min"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// A Histogram counts numbers in classes: one for each number below 16, and eight from each power of
// two to the next.
type Histogram struct {
	n, min, max uint64
	sum         float64
	counts      []uint64 // by class, up to the last that is not empty
}

const (
	exact   = 16 // numbers below this have classes of their own
	perStep = 8  // classes from one power of two to the next
)

// Add counts x.
func (h *Histogram) Add(x uint64) {
	if h.n == 0 || x < h.min {
		h.min = x
	}
	h.max = max(h.max, x)
	h.n++
	h.sum += float64(x)
	c := classOf(x)
	for len(h.counts) <= c {
		h.counts = append(h.counts, 0)
	}
	h.counts[c]++
}

// Merge adds all numbers of from.
func (h *Histogram) Merge(from *Histogram) {
	if from.n == 0 {
		return
	}
	if h.n == 0 || from.min < h.min {
		h.min = from.min
	}
	h.max = max(h.max, from.max)
	h.n += from.n
	h.sum += from.sum
	for len(h.counts) < len(from.counts) {
		h.counts = append(h.counts, 0)
	}
	for class, n := range from.counts {
		h.counts[class] += n
	}
}

func classOf(x uint64) int {
	if x < exact {
		return int(x)
	}
	power := bits.Len64(x) - 1
	return exact + (power-4)*perStep + int(x>>(power-3))&(perStep-1)
}

// limits returns the bounds of a class.
func limits(class int) (low, high float64) {
	if class < exact {
		return float64(class), float64(class + 1)
	}
	power, step := (class-exact)/perStep+4, (class-exact)%perStep
	width := float64(uint64(1) << (power - 3))
	low = float64(perStep+step) * width
	return low, low + width
}

// quantile returns the number that the share q of all numbers does not exceed.
func (h *Histogram) quantile(q float64) float64 {
	rank := uint64(q * float64(h.n))
	if float64(rank) < q*float64(h.n) || rank == 0 {
		rank++
	}
	for class, n := range h.counts {
		if n < rank {
			rank -= n
			continue
		}
		low, high := limits(class)
		x := low
		if class >= exact {
			x = (low + high) / 2
		}
		return min(max(x, float64(h.min)), float64(h.max))
	}
	return 0
}

// Distribution returns the summary of all numbers so far.
func (h *Histogram) Distribution() Distribution {
	return Distribution{
		N: h.n, Sum: h.sum, Min: float64(h.min), Max: float64(h.max),
		P50: h.quantile(0.5), P90: h.quantile(0.9), P99: h.quantile(0.99),
	}
}

// N returns the number of numbers.
func (h *Histogram) N() uint64 { return h.n }

// Sum returns their sum.
func (h *Histogram) Sum() float64 { return h.sum }

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
