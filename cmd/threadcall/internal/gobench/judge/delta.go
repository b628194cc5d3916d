package judge

import (
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
)

// alpha is the error rate of a verdict.
const alpha = 1 - plan.Confidence

// compare finds how the second version of a benchmark, if there is one, differs from the first.
func (t *Table) compare(r *Row, alpha float64) {
	if r != nil && len(r.Cells) > 1 {
		r.Delta = t.delta(r.Cells[0], r.Cells[1], alpha)
	}
}

// delta compares two cells of a row.
func (t *Table) delta(old, new Cell, alpha float64) Delta {
	a, b := partners(old, new)
	if len(a) == 0 {
		return Delta{}
	}
	absolute := slices.Min(a) <= 0 || slices.Min(b) <= 0
	if old.Exact && new.Exact && old.Center == new.Center {
		same := neutral(absolute)
		return Delta{Verdict: Equal, Method: Exactly, Absolute: absolute, Estimate: same,
			Pair: [2]float64{a[0], b[0]}, Interval: &stats.Interval{Low: same, High: same}, P: 1, N: len(a)}
	}
	test := stats.Pairs(a, b, absolute, alpha)
	d := Delta{Method: Pairs, Absolute: absolute, Estimate: test.Estimate, N: len(a),
		Pair: stats.Typical(a, b, absolute, test.Estimate)}
	counted := t.Counted() && len(a) >= fewestCounted
	if old.Exact && new.Exact && (t.exact || counted) {
		d.Method, d.Interval = Exactly, &stats.Interval{Low: d.Estimate, High: d.Estimate}
		d.Verdict = t.direction(d)
		return d
	}
	d.P, d.Interval = test.P, test.Interval
	switch {
	case d.Interval == nil:
		d.Verdict, d.Needs = TooFew, stats.MinPairs(alpha)
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

// fewestCounted is in how many rounds a number of allocated things must be the same to count as
// exact.
const fewestCounted = 4

// Counted reports whether the values are numbers of allocated things, which a benchmark repeats
// exactly as a rule.
func (t *Table) Counted() bool { return t.Unit == "B/op" || t.Unit == "allocs/op" }

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

// at returns the samples by their rounds, the first of each.
func (c *Cell) at() map[int]float64 {
	values := map[int]float64{}
	for _, s := range c.Samples {
		if _, ok := values[s.Round]; !ok {
			values[s.Round] = s.Value
		}
	}
	return values
}

// partners returns the values that two cells have measured in the same round.
func partners(old, new Cell) (a, b []float64) {
	values := old.at()
	for _, s := range new.Samples {
		if v, ok := values[s.Round]; ok {
			delete(values, s.Round)
			a, b = append(a, v), append(b, s.Value)
		}
	}
	return a, b
}
