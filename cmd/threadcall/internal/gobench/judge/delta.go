package judge

import (
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// alpha is the error rate of a verdict.
const alpha = 1 - plan.Confidence

// compare finds how the second version of a benchmark, if there is one, differs from the first.
func compare(t *bench.Table, r *bench.Row, alpha float64) {
	if r != nil && len(r.Cells) > 1 {
		r.Delta = delta(t, r.Cells[0], r.Cells[1], alpha)
	}
}

// delta compares two cells of a row.
func delta(t *bench.Table, old, new bench.Cell, alpha float64) bench.Delta {
	a, b := partners(old, new)
	if len(a) == 0 {
		return bench.Delta{}
	}
	absolute := slices.Min(a) <= 0 || slices.Min(b) <= 0
	if old.Exact && new.Exact && old.Center == new.Center {
		same := bench.Delta{Absolute: absolute}.Neutral()
		return bench.Delta{Verdict: bench.Equal, Method: bench.Exactly, Absolute: absolute, P: 1,
			Estimate: same, Pair: [2]float64{a[0], b[0]}, N: len(a),
			Interval: &bench.Interval{Low: same, High: same}}
	}
	test := stats.Pairs(a, b, absolute, alpha)
	d := bench.Delta{Method: bench.Pairs, Absolute: absolute, Estimate: test.Estimate, N: len(a),
		Pair: stats.Typical(a, b, absolute, test.Estimate)}
	counted := t.Counted() && len(a) >= fewestCounted
	if old.Exact && new.Exact && (t.Exact || counted) {
		d.Method, d.Interval = bench.Exactly, &bench.Interval{Low: d.Estimate, High: d.Estimate}
		d.Verdict = direction(t, d)
		return d
	}
	d.P, d.Interval = test.P, test.Interval
	switch {
	case d.Interval == nil:
		d.Verdict, d.Needs = bench.TooFew, stats.MinPairs(alpha)
		return d
	case test.Rejected:
		d.Verdict = direction(t, d)
	default:
		d.Verdict = bench.Unseen
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

func direction(t *bench.Table, d bench.Delta) bench.Verdict {
	switch up := d.Estimate > d.Neutral(); {
	case t.Better == 0:
		return bench.Changed
	case up == (t.Better > 0):
		return bench.Better
	}
	return bench.Worse
}

// summarize fills what follows from the samples.
func summarize(c *bench.Cell, exact bool) {
	var values []float64
	for _, s := range c.Samples {
		values = append(values, s.Value)
	}
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
		c.Interval = &bench.Interval{Low: s.Lo, High: s.Hi}
	}
}

func at(c bench.Cell) map[int]float64 {
	values := map[int]float64{}
	for _, s := range c.Samples {
		if _, ok := values[s.Round]; !ok {
			values[s.Round] = s.Value
		}
	}
	return values
}

// partners returns the values that two cells have measured in the same round.
func partners(old, new bench.Cell) (a, b []float64) {
	values := at(old)
	for _, s := range new.Samples {
		if v, ok := values[s.Round]; ok {
			delete(values, s.Round)
			a, b = append(a, v), append(b, s.Value)
		}
	}
	return a, b
}
