// Package histogram counts times.
package histogram

import (
	"math"
	"math/bits"
	"time"
)

// Times are counts of times, as thread.Histogram. The buckets divide each power of two nanoseconds
// from 64 ns on into four; the first is for shorter times, the last for times from 69 s on.
type Times struct {
	Count   uint64
	Sum     time.Duration
	Buckets [1 + 4*(lastOctave-firstOctave) + 1]uint64
}

const (
	firstOctave = 6  // 64 ns
	lastOctave  = 36 // 69 s
)

// Add counts d.
//
//threadcall:noalloc
func (h *Times) Add(d time.Duration) {
	d = max(d, 0)
	h.Count++
	h.Sum += d
	i, octave := 0, bits.Len64(uint64(d))-1
	switch {
	case octave >= lastOctave:
		i = len(h.Buckets) - 1
	case octave >= firstOctave:
		i = 1 + 4*(octave-firstOctave) + int(d>>(octave-2))&3
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
	case i >= len(Times{}.Buckets):
		return math.MaxInt64
	}
	octave, quarter := (i-1)/4, (i-1)%4
	return 16 * time.Nanosecond * time.Duration(4+quarter) << octave
}
