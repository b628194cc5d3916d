package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// Two tests are exact for pairs: if nothing has changed, chance alone decides which of the two values of a round belongs
// to which version, so that each difference has either sign with probability 1/2, whatever its size. The sign test counts
// signs; the signed-rank test counts more for larger differences, and needs fewer rounds where no few of them are much
// larger than the others. The sizes decide which it is: they do not know the signs, so that the test stays exact.
const (
	heavyTail  = 4.  // the 90th percentile of the sizes, divided by the median, of which the sign test makes more; 2.4 if they are normal
	mostRanked = 400 // pairs, with as many averages as the square of half of that
)

// ranked reports whether the signed-rank test is the one for these differences.
func ranked(differences []float64) bool {
	sizes := make([]float64, len(differences))
	for i, d := range differences {
		sizes[i] = math.Abs(d)
	}
	s := stats.Sample{Xs: sizes}
	return len(sizes) <= mostRanked && s.Quantile(0.9) <= heavyTail*s.Quantile(0.5)
}

// walsh returns the averages of all two of the values, and of each with itself: of ratios, the geometric ones.
func walsh(values []float64, absolute bool) []float64 {
	averages := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, x := range values {
		for _, y := range values[:i+1] {
			switch {
			case x == y:
				averages = append(averages, x)
			case absolute:
				averages = append(averages, x/2+y/2)
			default:
				averages = append(averages, math.Sqrt(x)*math.Sqrt(y))
			}
		}
	}
	return averages
}

// signedRank is the distribution of the number of averages of n values that are on one side of 0, if nothing has
// changed: that of the sum of the ranks of those.
type signedRank struct{ sums []float64 } // cumulated probabilities

// exactRanks is the largest n for which the distribution is not approximated.
const exactRanks = 60

func signedRankOf(n int) counts {
	if n > exactRanks {
		x := float64(n)
		return approximate{stats.NormalDist{Mu: x * (x + 1) / 4, Sigma: math.Sqrt(x * (x + 1) * (2*x + 1) / 24)}}
	}
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
	return signedRank{sums}
}

func (r signedRank) CDF(k float64) float64 {
	if k < 0 {
		return 0
	}
	return r.sums[min(int(k), len(r.sums)-1)]
}
