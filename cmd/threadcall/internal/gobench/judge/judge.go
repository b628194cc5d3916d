// Package judge compares what was measured, and decides about limits.
package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// Judge returns the report on a run, of which it compares the results.
func Judge(run *bench.Record, d *measure.Data, limits []plan.Limit) *bench.Report {
	c := &bench.Comparison{Versions: d.Versions, Confidence: plan.Confidence, Tables: []bench.Table{},
		Times:    []bench.Time{},
		Failures: append([]report.Failure{}, d.Failures...), Warnings: append([]string{}, d.Warnings...)}
	for _, unit := range d.UnitNames() {
		t := bench.Table{Unit: unit, Better: direct(d, unit), Rows: rows(d, unit),
			Exact: d.Units.GetAssumption(unit) == benchmath.AssumeExact}
		for i := range t.Rows {
			row := &t.Rows[i]
			for i := range row.Cells {
				summarize(&row.Cells[i], t.Exact)
			}
			compare(&t, row, alpha)
		}
		c.Tables = append(c.Tables, t)
	}
	chooseBases(c, &bench.Table{Rows: rows(d, bench.Threads)})
	correct(c)
	r := &bench.Report{Record: *run, Comparison: c, Breaches: []bench.Case{},
		Undecided: []bench.Case{}}
	check(r, limits)
	return r
}

// direct returns 1 if higher values of a tidied unit are better, -1 if lower ones are, and 0 if
// that is not known.
func direct(d *measure.Data, unit string) int {
	if b := d.Units.GetBetter(unit); b != 0 || d.Units.Get(unit, "better") != nil {
		return b
	}
	if unit == "sec" || strings.HasPrefix(unit, "sec/") || unit == bench.CPUTime {
		return -1
	}
	return 0
}

// rows returns the benchmarks that have this unit, with their samples, in the order of their names.
func rows(d *measure.Data, unit string) []bench.Row {
	var rows []bench.Row
	at := map[[2]string]int{}
	for _, r := range d.Results {
		value, ok := r.Value(unit)
		if !ok {
			continue
		}
		key := [2]string{r.GetConfig("pkg"), r.Name.String()}
		i, ok := at[key]
		if !ok {
			i = len(rows)
			at[key] = i
			rows = append(rows, bench.Row{Package: key[0], Name: key[1],
				Cells: make([]bench.Cell, len(d.Versions))})
		}
		cell := &rows[i].Cells[r.Version]
		cell.Samples = append(cell.Samples, bench.Sample{Round: r.Round, Value: value})
	}
	slices.SortFunc(rows, func(a, b bench.Row) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), natural(a.Name, b.Name))
	})
	return rows
}

// correct marks by Holm's procedure the verdicts that stay visible when the error rate is that of
// all of them together. Each alone is wrong with a probability of at most alpha if nothing has
// changed: in a long table some are. Exact differences and throughput are not among them.
func correct(c *bench.Comparison) {
	var tests []*bench.Delta
	for i := range c.Tables {
		t := &c.Tables[i]
		for i := range t.Rows {
			d := &t.Rows[i].Delta
			if !c.Throughput(t, &t.Rows[i]) && d.Method != bench.Exactly &&
				(d.Visible() || d.Verdict == bench.Unseen) {
				tests = append(tests, d)
			}
		}
	}
	slices.SortFunc(tests, func(a, b *bench.Delta) int { return cmp.Compare(a.P, b.P) })
	for i, d := range tests {
		if !d.Visible() || d.P > alpha/float64(len(tests)-i) {
			break
		}
		d.Holm = true
	}
}

var number = regexp.MustCompile(`[0-9]+`)

// natural compares names as people order them: n=8 before n=64.
func natural(a, b string) int {
	padded := func(name string) string {
		return number.ReplaceAllStringFunc(name, func(digits string) string {
			return strings.Repeat("0", max(0, 20-len(digits))) + digits
		})
	}
	return cmp.Or(cmp.Compare(padded(a), padded(b)), cmp.Compare(a, b))
}

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
func decisive(c *bench.Comparison, t *bench.Table, row *bench.Row,
	limits []plan.Limit) (these []plan.Limit) {
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
