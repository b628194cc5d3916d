package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// A contrast is a set of values that lie around one number if nothing has changed, and a test of that which counts how
// many lie on either side.
type contrast struct {
	method  Method
	values  []float64 // sorted
	neutral float64   // 1 for ratios, 0 for differences
	n       int       // independent ones among them
	count   counts
	alpha   float64 // error rate; 0: that of Confidence
}

// counts is the distribution of how many values of a contrast lie below the neutral one if nothing has changed. It is
// symmetric.
type counts interface {
	CDF(k float64) float64
}

// estimate returns the median.
func (c contrast) estimate() float64 {
	return stats.Sample{Xs: c.values, Sorted: true}.Quantile(0.5)
}

// p returns the probability of a count that is as far from the middle as this one, or farther. A value that is exactly
// neutral counts on both sides, so that ties never make a difference visible.
func (c contrast) p() float64 {
	below, above := 0, 0
	for _, x := range c.values {
		if x <= c.neutral {
			below++
		}
		if x >= c.neutral {
			above++
		}
	}
	return c.tails(min(below, above))
}

// tails returns the probability that one of the sides has at most k values.
func (c contrast) tails(k int) float64 { return min(1, 2*c.count.CDF(float64(k))) }

// interval returns the neutral values that the test would not reject. It is nil if the test cannot
// reject anything with as few values.
func (c contrast) interval() *Interval {
	k := c.cut()
	if k == 0 {
		return nil
	}
	return &Interval{c.values[k-1], c.values[len(c.values)-k]}
}

// cut returns how many values the interval leaves out at each end, plus one.
func (c contrast) cut() int {
	lo, hi := 0, len(c.values)/2+1
	for lo+1 < hi { // tails(lo-1) <= 1-Confidence < tails(hi-1)
		mid := (lo + hi) / 2
		if c.rejected(c.tails(mid - 1)) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// rejected reports whether p is small enough, for the verdict and for the interval, so that they agree.
func (c contrast) rejected(p float64) bool {
	alpha := c.alpha
	if alpha == 0 {
		alpha = 1 - Confidence
	}
	return p <= alpha+1e-12
}

// pairs returns the contrast of values that come in pairs. If all are positive it is of their ratios.
func pairs(old, new []float64, absolute bool) contrast {
	c := contrast{method: Pairs, n: len(old), count: stats.BinomialDist{N: len(old), P: 0.5}}
	differences := make([]float64, len(old)) // of logarithms, if it is of ratios
	for i := range old {
		c.values = append(c.values, c.compare(old[i], new[i], absolute))
		if differences[i] = c.values[i]; !absolute {
			differences[i] = math.Log(c.values[i])
		}
	}
	if ranked(differences) {
		c.count, c.values = signedRankOf(len(old)), walsh(c.values, absolute)
	}
	return c.finish(absolute)
}

// enough is the number of values of a sample of which ranks makes use: their products need memory.
const enough = 500

// ranks returns the contrast of two samples: each value of one with each of the other.
func ranks(old, new []float64, absolute bool) contrast {
	old, new = thin(old), thin(new)
	c := contrast{method: Ranks, n: min(len(old), len(new)), count: uOf(len(old), len(new))}
	for _, o := range old {
		for _, n := range new {
			c.values = append(c.values, c.compare(o, n, absolute))
		}
	}
	return c.finish(absolute)
}

// thin returns enough values, evenly spread over the time of measurement.
func thin(values []float64) []float64 {
	if len(values) <= enough {
		return values
	}
	thinned := make([]float64, enough)
	for i := range thinned {
		thinned[i] = values[i*len(values)/enough]
	}
	return thinned
}

func (contrast) compare(old, new float64, absolute bool) float64 {
	if absolute {
		return new - old
	}
	return new / old
}

func (c contrast) finish(absolute bool) contrast {
	slices.Sort(c.values)
	if !absolute {
		c.neutral = 1
	}
	return c
}

// uOf returns the distribution of the Mann-Whitney statistic, beyond MannWhitneyExactLimit its approximation with the
// continuity correction, as MannWhitneyUTest chooses.
func uOf(n1, n2 int) counts {
	if max(n1, n2) <= stats.MannWhitneyExactLimit {
		return without{n1, n2}
	}
	a, b := float64(n1), float64(n2)
	return approximate{stats.NormalDist{Mu: a * b / 2, Sigma: math.Sqrt(a * b * (a + b + 1) / 12)}}
}

// without is the distribution without ties.
type without struct{ n1, n2 int }

func (w without) CDF(k float64) float64 { return stats.UDist{N1: w.n1, N2: w.n2}.CDF(k) }

type approximate struct{ stats.NormalDist }

func (a approximate) CDF(k float64) float64 { return a.NormalDist.CDF(k + 0.5) }

// samplesNeeded returns the smallest number of samples with which the method can show something.
func samplesNeeded(m Method, alpha float64) int {
	for n := 1; ; n++ {
		c := contrast{alpha: alpha}
		if m == Pairs {
			c.count = stats.BinomialDist{N: n, P: 0.5}
		} else {
			c.count = uOf(n, n)
		}
		if c.rejected(c.tails(0)) {
			return n
		}
	}
}
