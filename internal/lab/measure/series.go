package measure

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// A Series is what was measured of one contender.
type Series struct {
	Name   string
	Values []float64 // nanoseconds each time, by round
}

// An Estimate is a median, and the bounds between which the true median is with a confidence of 95 % at least. It
// assumes nothing of the distribution. With fewer than MinRounds values one bound, or both, are infinite.
type Estimate struct{ Centre, Low, High float64 }

const confidence = 0.95

// Median estimates the median of a series.
func (s Series) Median() Estimate { return estimate(slices.Clone(s.Values)) }

// Over estimates the ratio of s to t, which were measured in the same rounds. Each round gives one ratio, so that what
// happens to both is left out.
func (s Series) Over(t Series) Estimate {
	ratios := make([]float64, min(len(s.Values), len(t.Values)))
	for i := range ratios {
		ratios[i] = s.Values[i] / t.Values[i]
	}
	return estimate(ratios)
}

func estimate(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{math.NaN(), math.Inf(-1), math.Inf(1)}
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), confidence)
	return Estimate{s.Center, s.Lo, s.Hi}
}

// Below tells whether all of the interval is below x.
func (e Estimate) Below(x float64) bool { return e.High < x }

// Above tells whether all of the interval is above x.
func (e Estimate) Above(x float64) bool { return e.Low > x }

// Holds tells whether x is in the interval.
func (e Estimate) Holds(x float64) bool { return e.Low <= x && x <= e.High }

// Spread is the larger distance of a bound from the centre, as a share of it.
func (e Estimate) Spread() float64 { return max(e.High-e.Centre, e.Centre-e.Low) / e.Centre }
