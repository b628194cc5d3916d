package judge

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
)

// alpha is the error rate of a verdict.
const alpha = 1 - plan.Confidence

// compare finds how the versions differ from the first.
func (t *Table) compare(versions int) {
	for i := range t.Rows {
		row := &t.Rows[i]
		row.Deltas = make([]Delta, len(row.Cells))
		for j := 1; j < len(row.Cells); j++ {
			row.Deltas[j] = t.delta(row.Cells[0], row.Cells[j], alpha)
		}
	}
	t.Geomean = t.geomean(versions)
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
		p := measure.Place{Run: s.Run, Round: s.Round}
		if _, ok := values[p]; !ok && s.Round >= 0 {
			values[p] = s.Value
		}
	}
	return values
}

// partners returns the values that two cells have measured in the same round of the same run.
func partners(old, new Cell) (a, b []float64) {
	values := old.at()
	for _, s := range new.Samples {
		p := measure.Place{Run: s.Run, Round: s.Round}
		if v, ok := values[p]; ok {
			delete(values, p)
			a, b = append(a, v), append(b, s.Value)
		}
	}
	return a, b
}

// geomean compares each version with the first over all rows that have ratios. The rounds in which
// all of these rows were measured give one geometric mean of ratios each, and these are compared
// like the pairs of one benchmark. Where results are not paired it is the geometric mean of the
// rows' estimates, without an interval.
func (t *Table) geomean(versions int) []Delta {
	deltas := make([]Delta, versions)
	several := false
	for v := 1; v < versions; v++ {
		deltas[v] = t.geomeanOf(v)
		several = several || deltas[v].Over > 1
	}
	if !several {
		return nil
	}
	return deltas
}

func (t *Table) geomeanOf(version int) Delta {
	var estimates []float64
	logs := map[measure.Place]float64{} // of the ratios, summed
	rows := map[measure.Place]int{}
	exact := true
	for _, row := range t.Rows {
		d := row.Deltas[version]
		if d.Verdict == None || d.Absolute && d.Verdict != Equal {
			continue
		}
		exact = exact && d.Method == Exactly
		if d.Absolute { // nothing became of nothing
			d.Estimate = 1
		}
		estimates = append(estimates, d.Estimate)
		before := row.Cells[0].at()
		for at, value := range row.Cells[version].at() {
			if old, ok := before[at]; ok {
				if value != old {
					logs[at] += math.Log(value / old)
				}
				rows[at]++
			}
		}
	}
	if len(estimates) == 0 {
		return Delta{}
	}
	var ones, ratios []float64
	for at, n := range rows {
		if n == len(estimates) {
			ones, ratios = append(ones, 1), append(ratios, math.Exp(logs[at]/float64(n)))
		}
	}
	d := Delta{Estimate: stats.GeoMean(estimates), Over: len(estimates)}
	switch {
	case exact:
		d.Method, d.Interval = Exactly, &stats.Interval{Low: d.Estimate, High: d.Estimate}
		if d.Verdict = Equal; d.Estimate != 1 {
			d.Verdict = t.direction(d)
		}
	case len(ratios) > 0:
		test := stats.Pairs(ones, ratios, false, alpha)
		d.Method, d.Estimate, d.N = Pairs, test.Estimate, test.N
		return t.decide(d, test, func() int { return stats.MinPairs(alpha) })
	}
	return d
}
