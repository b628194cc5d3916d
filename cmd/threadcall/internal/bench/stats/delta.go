package stats

import (
	"slices"
)

// delta compares two cells of a row.
func (t *Table) delta(old, new Cell) Delta { return t.deltaAt(old, new, 0) }

// deltaAt compares two cells with an error rate; 0 is that of Confidence.
func (t *Table) deltaAt(old, new Cell, alpha float64) Delta {
	if old.N == 0 || new.N == 0 {
		return Delta{}
	}
	a, b := old.values(), new.values()
	absolute := slices.Min(a) <= 0 || slices.Min(b) <= 0
	compare := ranks
	if x, y, all := partners(old, new); all {
		a, b, compare = x, y, pairs
	}
	if old.Exact && new.Exact && old.Center == new.Center {
		return Delta{Verdict: Equal, Method: Exactly, Absolute: absolute, Estimate: neutral(absolute),
			Interval: &Interval{neutral(absolute), neutral(absolute)}, P: 1, N: len(a)}
	}
	c := compare(a, b, absolute)
	c.alpha = alpha
	if old.Exact && new.Exact && (t.exact || t.counted() && min(old.N, new.N) >= samplesNeeded(Ranks, 0)) {
		d := Delta{Method: Exactly, Absolute: absolute, Estimate: c.estimate(), N: c.n}
		d.Interval = &Interval{d.Estimate, d.Estimate}
		d.Verdict = t.direction(d)
		return d
	}
	return t.decide(c, absolute)
}

// counted reports whether the values are numbers of allocated things, which a benchmark repeats exactly as a rule.
func (t *Table) counted() bool { return t.Unit == "B/op" || t.Unit == "allocs/op" }

// decide returns what the contrast shows.
func (t *Table) decide(c contrast, absolute bool) Delta {
	d := Delta{Method: c.method, Absolute: absolute, Estimate: c.estimate(), P: c.p(), N: c.n}
	d.Interval = c.interval()
	switch {
	case d.Interval == nil:
		d.Verdict, d.Needs = TooFew, samplesNeeded(c.method, c.alpha)
	case c.rejected(d.P):
		d.Verdict = t.direction(d)
	default:
		d.Verdict = Unseen
	}
	d.MDE = d.mde()
	return d
}

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

// mde returns how far the estimate would have had to be from the neutral value for the interval, moved along with
// it, to leave that out: the longer arm of the interval.
func (d Delta) mde() float64 {
	if d.Interval == nil {
		return 0
	}
	if d.Absolute {
		return max(d.Estimate-d.Interval.Low, d.Interval.High-d.Estimate)
	}
	return max(d.Estimate/d.Interval.Low, d.Interval.High/d.Estimate) - 1
}
