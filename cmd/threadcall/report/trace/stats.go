package trace

import (
	"math"
	"slices"
)

// A Distribution summarizes numbers. N, Sum, Min and Max are exact. A quantile is the middle of a
// class, of which there are eight from each power of two to the next, so it is wrong by at most
// 6.25 %; below 15 it is exact.
type Distribution struct {
	N   uint64  `json:"n"`
	Sum float64 `json:"sum"`
	Min float64 `json:"min"`
	P50 float64 `json:"p50"` // this and P99 are set by Finish
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`

	// Numbers of at least Half have half of Sum. Finish sets it.
	Half float64 `json:"half"`

	counts []uint64 // by class, up to the last that is not empty
}

// The class of x is the exponent of x+1 and the first bits of its fraction.
const (
	cut  = 52 - 3    // bits of a float64's fraction that a class leaves out
	base = 1023 << 3 // of 1, the least x+1
)

func classOf(x uint64) int { return int(math.Float64bits(float64(x)+1)>>cut) - base }

func least(class int) float64 { return math.Float64frombits(uint64(class+base)<<cut) - 1 }

// Add adds x.
func (d *Distribution) Add(x uint64) {
	v, class := float64(x), classOf(x)
	if d.N == 0 || v < d.Min {
		d.Min = v
	}
	d.N, d.Sum, d.Max = d.N+1, d.Sum+v, max(d.Max, v)
	for len(d.counts) <= class {
		d.counts = append(d.counts, 0)
	}
	d.counts[class]++
}

// Finish sets the quantiles of all numbers so far.
func (d *Distribution) Finish() {
	d.P50, d.P99 = d.quantile(0.5), d.quantile(0.99)
	sum := 0.0
	for class, n := range slices.Backward(d.counts) {
		if sum += float64(n) * d.middle(class); sum >= d.Sum/2 {
			d.Half = d.middle(class)
			return
		}
	}
}

// middle returns the number that stands for those of a class.
func (d *Distribution) middle(class int) float64 {
	from, next := least(class), least(class+1)
	return min(max(from+max(0, next-1-from)/2, d.Min), d.Max)
}

// quantile returns the number that the share q of all numbers does not exceed.
func (d *Distribution) quantile(q float64) float64 {
	rank := uint64(max(1, math.Ceil(q*float64(d.N))))
	for class, n := range d.counts {
		if n >= rank {
			return d.middle(class)
		}
		rank -= n
	}
	return 0
}
