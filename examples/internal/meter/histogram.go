package meter

import (
	"math/bits"
	"time"
)

// A Histogram counts durations, to 3 %. Adding one does not allocate.
type Histogram struct {
	counts [64 * steps]uint32
	n      int
}

const steps = 32 // between two powers of two

// Add counts d; a negative one counts as zero.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucket(d)]++
	h.n++
}

// Count returns how many durations there are.
func (h *Histogram) Count() int { return h.n }

// Merge adds what other has.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.n += other.n
}

// Quantile returns the duration that a fraction q of all is not above, or zero if there are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := int(q * float64(h.n))
	for i, n := range h.counts {
		if rank -= int(n); rank < 0 {
			return lowest(i)
		}
	}
	return h.Max()
}

// Max returns the longest duration.
func (h *Histogram) Max() time.Duration {
	for i := len(h.counts) - 1; i >= 0; i-- {
		if h.counts[i] > 0 {
			return lowest(i)
		}
	}
	return 0
}

// Between returns how many durations are at least from and below to.
func (h *Histogram) Between(from, to time.Duration) int {
	sum := 0
	for _, n := range h.counts[bucket(from):bucket(to)] {
		sum += int(n)
	}
	return sum
}

// bucket returns the place of d: itself below 2*steps, then steps buckets to each power of two.
func bucket(d time.Duration) int {
	if d < 0 {
		d = 0
	}
	shift := max(bits.Len64(uint64(d))-bits.Len64(2*steps-1), 0)
	return shift*steps + int(d>>shift)
}

// lowest returns the shortest duration that bucket puts into i.
func lowest(i int) time.Duration {
	shift := max(i/steps-1, 0)
	return time.Duration(i-shift*steps) << shift
}
