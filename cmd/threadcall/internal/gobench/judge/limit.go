package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// check finds the rows that break the limits: changes that are visible and whose estimate reaches a
// limit. In undecided rows such a change would not have been visible. The limits of a unit replace
// those of all.
func check(r *bench.Report, limits []plan.Limit) {
	c := r.Comparison
	for i := range c.Tables {
		t := &c.Tables[i]
		for j := range t.Rows {
			row := &t.Rows[j]
			for _, l := range decisive(c, t, row, limits) {
				less := l.Less
				if l.Unit == "" {
					less = t.Better > 0
				}
				at := bench.Case{Limit: l.Text, Unit: bench.Written(t.Unit), Benchmark: c.FullName(*row)}
				switch broken, open := decide(&at, l, *row, less); {
				case broken:
					r.Breaches = append(r.Breaches, at)
				case open:
					r.Undecided = append(r.Undecided, at)
				}
			}
		}
	}
}

// decisive returns the limits for a row of t: those of its unit, or if there are none, those of no
// unit if it is known what is worse in this one. Throughput is a second view of the time, to which
// a limit for all units applies already.
func decisive(c *bench.Comparison, t *bench.Table, row *bench.Row, limits []plan.Limit) (these []plan.Limit) {
	for _, l := range limits {
		if l.Unit != "" && t.Unit == l.Tidy() {
			these = append(these, l)
		}
	}
	if these != nil || t.Better == 0 || c.Throughput(t, row) {
		return these
	}
	return slices.DeleteFunc(slices.Clone(limits), func(l plan.Limit) bool { return l.Unit != "" })
}

// Broken returns an error that names what broke each limit, or nil.
func Broken(breaches []bench.Case) error {
	var errs []error
	for _, at := range breaches {
		errs = append(errs, fmt.Errorf("-fail-on %s: %v", at.Limit, at))
	}
	return errors.Join(errs...)
}

// rounding is an error that a change may have: 23/20-1 is a little less than 0.15.
const rounding = 1e-12

// decide reports whether a row breaks the limit, or whether that is undecided. It is given whether
// less is worse, or more.
func decide(at *bench.Case, l plan.Limit, row bench.Row, less bool) (broken, undecided bool) {
	d, limit := row.Delta, math.Abs(l.Change)
	change, mde := d.Estimate-1, d.MDE
	if d.Absolute { // relative to what there was, unless that was nothing
		old := row.Cells[0].Center
		at.FromZero = old == 0
		change, mde = d.Estimate/math.Abs(old), d.MDE/math.Abs(old)
	}
	if d.Verdict == bench.Aside && l.Unit != "" { // a limit of this unit is about this unit
		d.Verdict = d.Own
	}
	switch {
	case d.Verdict == bench.None || d.Verdict == bench.Equal:
	case d.Verdict == bench.Aside: // another unit decides
	case d.Verdict == bench.TooFew:
		return false, true
	case d.Visible() && at.FromZero:
		return (d.Estimate < 0) == less, false
	case d.Visible():
		at.Change = change
		return (change < 0) == less && math.Abs(change) >= limit-rounding, false
	case at.FromZero:
		return false, d.MDE > 0
	case mde > limit:
		at.MDE = mde
		return false, true
	}
	return false, false
}
