// Package stats has exact tests of paired samples, and medians and quartiles. The distributions and
// quantiles are those of go-moremath.
package stats

import (
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"

	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// Median returns the middle of the values, or NaN without any.
func Median(xs []float64) float64 { return stats.Sample{Xs: xs}.Quantile(0.5) }

// Spread returns the range of the middle half, or NaN without values.
func Spread(xs []float64) float64 { return stats.Sample{Xs: xs}.IQR() }

// A Test is what a test of pairs shows. It is of the ratios of new values to old ones, or of
// their differences if it is absolute. Estimate, interval and P are of one distribution: the
// interval excludes the neutral value, 1 or 0, exactly if P is at most alpha.
type Test struct {
	Estimate float64
	Interval *bench.Interval // nil: there are too few values to show anything
	P        float64
	Rejected bool // that nothing has changed
}

// Pairs tests values of which those with the same index were measured together: by the sign test,
// or by the signed-rank test. docs/bench.md says why both are exact. The sizes of the differences
// decide which it is: they do not know the signs, so that the test stays exact.
func Pairs(old, new []float64, absolute bool, alpha float64) Test {
	cdf := stats.BinomialDist{N: len(old), P: 0.5}.CDF
	values := make([]float64, len(old))
	sizes := make([]float64, len(old)) // of logarithms, if it is of ratios
	for i := range old {
		if values[i] = compare(old[i], new[i], absolute); absolute {
			sizes[i] = math.Abs(values[i])
		} else {
			sizes[i] = math.Abs(math.Log(values[i]))
		}
	}
	s := stats.Sample{Xs: sizes}
	if len(old) <= mostRanked && s.Quantile(0.9) <= heavyTail*s.Quantile(0.5) {
		cdf, values = signedRank(len(old)), walsh(values, absolute)
	}
	return test(values, cdf, absolute, alpha)
}

// Typical returns values that differ by the estimate: the means of two pairs, or a pair. Of those
// that do so up to a rounding, it takes the one closest to the median of the old values.
func Typical(old, new []float64, absolute bool, estimate float64) (best [2]float64) {
	const rounding = 5e-4
	middle, least := Median(old), math.Inf(1)
	off := func(x, from float64) float64 { return math.Abs(x-from) / max(math.Abs(from), 1e-9) }
	for i := range old {
		for j := i; j < min(len(old), i+mostRanked); j++ {
			a, b := mean(old[i], old[j], absolute), mean(new[i], new[j], absolute)
			d := 1e3*max(off(compare(a, b, absolute), estimate), rounding) + min(1, off(a, middle))
			if d < least {
				least, best = d, [2]float64{a, b}
			}
		}
	}
	return best
}

func mean(x, y float64, arithmetic bool) float64 {
	switch {
	case x == y:
		return x
	case arithmetic:
		return x/2 + y/2
	}
	return math.Sqrt(x) * math.Sqrt(y)
}

const (
	// of the sign test: the 90th percentile of the sizes, divided by the median; 2.4 if they are
	// normal
	heavyTail  = 4
	mostRanked = 200 // pairs, with as many averages as half of the square of that
)

// MinPairs returns the smallest number of pairs with which Pairs can show something.
func MinPairs(alpha float64) (n int) {
	for n = 1; !rejected(tails(stats.BinomialDist{N: n, P: 0.5}.CDF, 0), alpha); n++ {
	}
	return n
}

// test returns what the values show, which lie around the neutral one if nothing has changed: then
// cdf is the distribution of how many are below it, which is symmetric.
func test(values []float64, cdf func(k float64) float64, absolute bool, alpha float64) Test {
	slices.Sort(values)
	neutral := compare(1, 1, absolute)
	// a value that is neutral counts on both sides: ties never show a difference
	below, above := 0, 0
	for _, x := range values {
		if x <= neutral {
			below++
		}
		if x >= neutral {
			above++
		}
	}
	t := Test{Estimate: stats.Sample{Xs: values, Sorted: true}.Quantile(0.5)}
	t.P = tails(cdf, min(below, above))
	// The interval has the neutral values that the test would not reject.
	low := sort.Search(len(values)/2, func(k int) bool { return !rejected(tails(cdf, k), alpha) })
	if low > 0 {
		t.Interval = &bench.Interval{Low: values[low-1], High: values[len(values)-low]}
		t.Rejected = rejected(t.P, alpha)
	}
	return t
}

// tails returns the probability that one of the sides has at most k values.
func tails(cdf func(k float64) float64, k int) float64 { return min(1, 2*cdf(float64(k))) }

// rejected decides for the verdict and for the interval, so that they agree.
func rejected(p, alpha float64) bool { return p <= alpha+1e-12 }

func compare(old, new float64, absolute bool) float64 {
	if absolute {
		return new - old
	}
	return new / old
}

// walsh returns the averages of all two of the values, and of each with itself: of ratios, the
// geometric ones.
func walsh(values []float64, absolute bool) []float64 {
	averages := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, x := range values {
		for _, y := range values[:i+1] {
			averages = append(averages, mean(x, y, absolute))
		}
	}
	return averages
}

// signedRank returns the distribution of the number of averages of n values that are on one side of
// 0: that of the sum of the ranks of those.
func signedRank(n int) (cdf func(k float64) float64) {
	sums := make([]float64, n*(n+1)/2+1)
	sums[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := len(sums) - 1; s >= 0; s-- {
			sums[s] /= 2
			if s >= rank {
				sums[s] += sums[s-rank] / 2
			}
		}
	}
	for s := 1; s < len(sums); s++ {
		sums[s] += sums[s-1]
	}
	return func(k float64) float64 { return sums[min(int(k), len(sums)-1)] }
}
