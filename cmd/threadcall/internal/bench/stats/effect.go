package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// Spread returns how far the interval reaches from the median, relative to that: 0.03 is printed as ±3%. It is infinite
// if there is no interval or no ratio.
func (c Cell) Spread() float64 {
	switch {
	case c.Interval == nil:
		return math.Inf(1)
	case c.Interval.Low == c.Interval.High:
		return 0
	case c.Center <= 0 || c.Interval.Low <= 0:
		return math.Inf(1)
	}
	return max(c.Interval.High/c.Center-1, 1-c.Interval.Low/c.Center)
}

// MDE returns the minimum detectable effect on the time, a relative change: that of the median benchmark, and that of the
// noisiest. ok is false if nothing could have been detected.
func (c *Comparison) MDE() (median, largest float64, ok bool) {
	var all []float64
	for _, t := range c.Tables {
		if t.Unit != "sec/op" && t.Unit != CPUTime {
			continue
		}
		for _, row := range t.Rows {
			for _, d := range row.Deltas {
				switch {
				case d.Verdict == None || d.Verdict == Aside:
				case d.Interval == nil:
					return 0, 0, false
				case !d.Absolute:
					all = append(all, d.MDE)
				}
			}
		}
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	return stats.Sample{Xs: all}.Quantile(0.5), slices.Max(all), true
}
