package stats

import (
	"iter"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// timeUnit is the unit that a run measures until its intervals are narrow.
const timeUnit = "sec/op"

// Narrow says whether every interval of the time table is known at least as exactly as width, which is relative: 0.01
// means that a change of 1 % would have been visible. Where there is only one version, it is about the interval of the
// median.
//
// It says nothing about whether changes are visible: a run that stopped because of that would raise false alarms. Nor
// is it true after any round: few values are close together now and then by chance, and who stops then is wrong more
// often. It is true only after as many rounds as can show something, and twice, four times… as many. What is left of
// the effect stands in docs/bench-statistics.md.
func (c *Comparison) Narrow(width float64) bool {
	any := false
	if !isLook(c.rounds(), Rounds(c.Confidence)) {
		return false
	}
	for row := range c.times() {
		any = true
		if row.arm() > width {
			return false
		}
	}
	return any
}

func isLook(rounds, first int) bool {
	for rounds > first && rounds%2 == 0 {
		rounds /= 2
	}
	return rounds == first
}

// rounds returns the number of samples of the benchmark that has most.
func (c *Comparison) rounds() int {
	n := 0
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			for _, cell := range row.Cells {
				n = max(n, cell.N)
			}
		}
	}
	return n
}

// arm returns the longest relative arm of the row's intervals: of its differences, or where there are none of its
// medians. It is infinite where an interval is missing.
func (r Row) arm() float64 {
	longest, compared := 0.0, false
	for _, d := range r.Deltas {
		if d.Verdict != None {
			compared = true
			longest = max(longest, d.arm())
		}
	}
	if compared {
		return longest
	}
	for _, c := range r.Cells {
		if c.N > 0 {
			longest = max(longest, c.Spread())
		}
	}
	return longest
}

func (d Delta) arm() float64 {
	switch {
	case d.Verdict == Equal:
		return 0
	case d.Interval == nil || d.Absolute:
		return math.Inf(1)
	}
	return d.Smallest
}

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

// Smallest returns the smallest relative change of the time that the results could have shown: for the benchmark in the
// middle, and for the one that was the hardest to measure. It is about each version against the first. ok is false if
// nothing could have been shown.
func (c *Comparison) Smallest() (middle, worst float64, ok bool) {
	var all []float64
	for row := range c.times() {
		for _, d := range row.Deltas {
			switch {
			case d.Verdict == None:
			case d.Interval == nil:
				return 0, 0, false
			case !d.Absolute:
				all = append(all, d.Smallest)
			}
		}
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	return stats.Sample{Xs: all}.Quantile(0.5), slices.Max(all), true
}

// Hidden returns the largest relative change of the time that may be there and was not seen, or zero if every row shows
// one.
func (c *Comparison) Hidden() (largest float64) {
	for row := range c.times() {
		for _, d := range row.Deltas {
			if d.Verdict == Unseen && !d.Absolute {
				largest = max(largest, d.Smallest)
			}
		}
	}
	return largest
}

// Slowest returns the largest median of the time, in seconds.
func (c *Comparison) Slowest() (seconds float64) {
	for row := range c.times() {
		for _, cell := range row.Cells {
			seconds = max(seconds, cell.Center)
		}
	}
	return seconds
}

// times are all rows that are about the time.
func (c *Comparison) times() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, t := range c.Tables {
			if t.Unit != timeUnit {
				continue
			}
			for _, row := range t.Rows {
				if !yield(row) {
					return
				}
			}
		}
	}
}
