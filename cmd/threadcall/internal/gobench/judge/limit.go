package judge

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
)

// A Case is a row in which a limit is broken, or in which that is undecided.
type Case struct {
	Limit     string  `json:"limit"`
	Unit      string  `json:"unit"`
	Benchmark string  `json:"benchmark"`
	Change    float64 `json:"change"` // relative; of no meaning with FromZero
	FromZero  bool    `json:"from_zero,omitempty"`
	// of an undecided one, the minimum detectable effect, if there is one
	MDE float64 `json:"mde,omitempty"`
}

// Check returns the rows that break the limits: changes that are visible and whose estimate reaches
// a limit. In undecided rows such a change would not have been visible. The limits of a unit
// replace those of all. It is an error if nothing was measured that a limit is about.
func Check(c *Comparison, limits []plan.Limit) (breaches, undecided []Case, err error) {
	breaches, undecided = []Case{}, []Case{}
	var units []string
	for _, t := range c.Tables {
		units = append(units, Written(t.Unit))
	}
	for _, l := range limits {
		if l.Unit != "" && c.Table(l.Tidy()) == nil {
			return breaches, undecided, fmt.Errorf("-fail-on %s: no benchmark reports %s; they "+
				"report %s", l.Text, l.Unit, strings.Join(units, ", "))
		}
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		for j := range t.Rows {
			row := &t.Rows[j]
			for _, l := range decisive(c, t, row, limits) {
				less := l.Less
				if l.Unit == "" {
					less = t.Better > 0
				}
				at := Case{Limit: l.Text, Unit: Written(t.Unit), Benchmark: c.FullName(*row)}
				switch broken, open := at.decide(l, *row, less); {
				case broken:
					breaches = append(breaches, at)
				case open:
					undecided = append(undecided, at)
				}
			}
		}
	}
	return breaches, undecided, nil
}

// decisive returns the limits for a row of t: those of its unit, or if there are none, those of no
// unit if it is known what is worse in this one. Throughput is a second view of the time, to which
// a limit for all units applies already.
func decisive(c *Comparison, t *Table, row *Row, limits []plan.Limit) (these []plan.Limit) {
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
func Broken(breaches []Case) error {
	var errs []error
	for _, at := range breaches {
		errs = append(errs, fmt.Errorf("-fail-on %s: %v", at.Limit, at))
	}
	return errors.Join(errs...)
}

// String returns the benchmark, the unit, and the change.
func (c Case) String() string {
	how := fmt.Sprintf("%+.2f %%", c.Change*100)
	if c.FromZero {
		how = "from nothing"
	}
	return fmt.Sprintf("%s, %s: %s", c.Benchmark, c.Unit, how)
}

// rounding is an error that a change may have: 23/20-1 is a little less than 0.15.
const rounding = 1e-12

// decide reports whether a row breaks the limit, or whether that is undecided. It is given whether
// less is worse, or more.
func (at *Case) decide(l plan.Limit, row Row, less bool) (broken, undecided bool) {
	d, limit := row.Delta, math.Abs(l.Change)
	change, mde := d.Estimate-1, d.MDE
	if d.Absolute { // relative to what there was, unless that was nothing
		old := row.Cells[0].Center
		at.FromZero = old == 0
		change, mde = d.Estimate/math.Abs(old), d.MDE/math.Abs(old)
	}
	if d.Verdict == Aside && l.Unit != "" { // a limit of this unit is about this unit
		d.Verdict = d.own
	}
	switch {
	case d.Verdict == None || d.Verdict == Equal:
	case d.Verdict == Aside: // another unit decides
	case d.Verdict == TooFew:
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
