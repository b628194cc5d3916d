package judge

import (
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
)

// alpha is the error rate of a verdict.
const alpha = 1 - plan.Confidence

// compare finds how the versions differ from the first.
func (t *Table) compare() {
	for i := range t.Rows {
		row := &t.Rows[i]
		row.Deltas = make([]Delta, len(row.Cells))
		for j := 1; j < len(row.Cells); j++ {
			row.Deltas[j] = t.delta(row.Cells[0], row.Cells[j], alpha)
		}
	}
}

// delta compares two cells of a row.
func (t *Table) delta(old, new Cell, alpha float64) Delta {
	if old.N == 0 || new.N == 0 {
		return Delta{}
	}
	a, b := old.values(), new.values()
	absolute := slices.Min(a) <= 0 || slices.Min(b) <= 0
	method, compare, least := Ranks, stats.Ranks, stats.MinRanks
	if x, y := partners(old, new); len(x) > 0 && len(x) == min(len(a), len(b)) {
		a, b, method, compare, least = x, y, Pairs, stats.Pairs, stats.MinPairs
	}
	if old.Exact && new.Exact && old.Center == new.Center {
		same := neutral(absolute)
		return Delta{Verdict: Equal, Method: Exactly, Absolute: absolute, Estimate: same,
			Interval: &stats.Interval{Low: same, High: same}, P: 1, N: len(a)}
	}
	test := compare(a, b, absolute, alpha)
	d := Delta{Method: method, Absolute: absolute, Estimate: test.Estimate, N: test.N}
	counted := t.counted() && min(old.N, new.N) >= stats.MinRanks(1-plan.Confidence)
	if old.Exact && new.Exact && (t.exact || counted) {
		d.Method, d.Interval = Exactly, &stats.Interval{Low: d.Estimate, High: d.Estimate}
		d.Verdict = t.direction(d)
		return d
	}
	return t.decide(d, test, func() int { return least(alpha) })
}

// decide completes the difference by what the test shows.
func (t *Table) decide(d Delta, test stats.Test, least func() int) Delta {
	d.P, d.Interval = test.P, test.Interval
	switch {
	case d.Interval == nil:
		d.Verdict, d.Needs = TooFew, least()
		return d
	case test.Rejected:
		d.Verdict = t.direction(d)
	default:
		d.Verdict = Unseen
	}
	// How far the estimate would have had to be from the neutral value for the interval, moved
	// along with it, to leave that out: the longer arm of the interval.
	if d.Absolute {
		d.MDE = max(d.Estimate-d.Interval.Low, d.Interval.High-d.Estimate)
	} else {
		d.MDE = max(d.Estimate/d.Interval.Low, d.Interval.High/d.Estimate) - 1
	}
	return d
}

// counted reports whether the values are numbers of allocated things, which a benchmark repeats
// exactly as a rule.
func (t *Table) counted() bool { return t.Unit == "B/op" || t.Unit == "allocs/op" }

func (t *Table) direction(d Delta) Verdict {
	switch up := d.Estimate > neutral(d.Absolute); {
	case t.Better == 0:
		return Changed
	case up == (t.Better > 0):
		return Better
	}
	return Worse
}

func neutral(absolute bool) float64 {
	if absolute {
		return 0
	}
	return 1
}

// summarize fills what follows from the samples.
func (c *Cell) summarize(exact bool) {
	values := c.values()
	c.N = len(values)
	if c.N == 0 {
		return
	}
	c.Exact = slices.Min(values) == slices.Max(values)
	assume := benchmath.Assumption(benchmath.AssumeNothing)
	if exact && c.Exact {
		assume = benchmath.AssumeExact
	}
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	s := assume.Summary(sample, plan.Confidence)
	c.Center = s.Center
	if len(s.Warnings) == 0 { // it has the only one that there can be if an end is infinite
		c.Interval = &stats.Interval{Low: s.Lo, High: s.Hi}
	}
}

// values returns a copy of the values of the samples, in their order.
func (c *Cell) values() []float64 {
	values := make([]float64, len(c.Samples))
	for i, s := range c.Samples {
		values[i] = s.Value
	}
	return values
}

// at returns the samples that were measured in rounds, the first of each.
func (c *Cell) at() map[measure.Place]float64 {
	values := map[measure.Place]float64{}
	for _, s := range c.Samples {
		if _, ok := values[s.Place]; !ok && s.Round >= 0 {
			values[s.Place] = s.Value
		}
	}
	return values
}

// partners returns the values that two cells have measured in the same round of the same run.
func partners(old, new Cell) (a, b []float64) {
	values := old.at()
	for _, s := range new.Samples {
		if v, ok := values[s.Place]; ok {
			delete(values, s.Place)
			a, b = append(a, v), append(b, s.Value)
		}
	}
	return a, b
}
