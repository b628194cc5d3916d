package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// geomean compares each version with the first over all rows that have ratios. The rounds in which all of these rows
// were measured give one geometric mean of ratios each, and these are compared like the pairs of one benchmark. Where
// results are not paired it is the geometric mean of the rows' estimates, without an interval.
func (t *Table) geomean(versions int) []Delta {
	deltas := make([]Delta, versions)
	any := false
	for v := 1; v < versions; v++ {
		deltas[v] = t.geomeanOf(v)
		any = any || deltas[v].Over > 1
	}
	if !any {
		return nil
	}
	return deltas
}

func (t *Table) geomeanOf(version int) Delta {
	var estimates []float64
	logs := map[place]float64{} // of the ratios, summed
	rows := map[place]int{}
	exact := true
	for _, row := range t.Rows {
		d, old, new := row.Deltas[version], row.Cells[0].perLayout(), row.Cells[version].perLayout()
		if d.Verdict == None || d.Absolute && d.Verdict != Equal {
			continue
		}
		exact = exact && d.Method == Exactly
		if d.Absolute { // nothing became of nothing
			d.Estimate = 1
		}
		estimates = append(estimates, d.Estimate)
		before := map[place]float64{}
		for _, s := range old.Samples {
			before[s.at()] = s.Value
		}
		for _, s := range new.Samples {
			at := s.at()
			value, ok := before[at]
			if !ok || s.Round < 0 {
				continue
			}
			if value != s.Value {
				logs[at] += math.Log(s.Value / value)
			}
			rows[at]++
			delete(before, at)
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
	d := Delta{Estimate: stats.GeoMean(estimates)}
	switch {
	case exact:
		d.Method, d.Interval = Exactly, &Interval{d.Estimate, d.Estimate}
		if d.Verdict = Equal; d.Estimate != 1 {
			d.Verdict = t.direction(d)
		}
	case len(ratios) > 0:
		d = t.decide(pairs(ones, ratios, false), false)
	}
	d.Over = len(estimates)
	return d
}
