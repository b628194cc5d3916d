// Package histogram counts times.
package histogram

import (
	"math"
	"slices"
	"time"
)

// Times are counts of times, as thread.Histogram. The buckets divide each power of ten from 100 ns
// to 100 s into ten, so that 10 µs, 100 µs and so on are bounds, which metrics show; the first is
// for shorter times, the last for longer ones.
type Times struct {
	Count   uint64
	Sum     time.Duration
	Buckets [1 + decades*10 + 1]uint64
}

const decades = 9

// bounds are where the buckets but the first begin.
var bounds = func() (b [1 + decades*10]time.Duration) {
	for i := range b {
		tenths := [10]time.Duration{100, 126, 158, 200, 251, 316, 398, 501, 631, 794}
		b[i] = tenths[i%10] * time.Duration(math.Pow10(i/10))
	}
	return b
}()

// Add counts d.
//
//threadcall:noalloc
func (h *Times) Add(d time.Duration) {
	d = max(d, 0)
	h.Count++
	h.Sum += d
	i, exact := slices.BinarySearch(bounds[:], d)
	if exact {
		i++
	}
	h.Buckets[i]++
}

// AddAll adds what other has counted.
func (h *Times) AddAll(other *Times) {
	h.Count += other.Count
	h.Sum += other.Sum
	for i, n := range other.Buckets {
		h.Buckets[i] += n
	}
}

// Bound returns where bucket i begins, and the one before it ends.
func Bound(i int) time.Duration {
	switch {
	case i <= 0:
		return 0
	case i > len(bounds):
		return math.MaxInt64
	}
	return bounds[i-1]
}
