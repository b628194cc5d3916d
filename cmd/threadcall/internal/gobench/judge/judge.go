// Package judge compares what was measured, and decides about limits.
package judge

import (
	"cmp"
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
	r := &bench.Report{Record: *run, Comparison: c, Breaches: []bench.Case{}, Undecided: []bench.Case{}}
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

// correct marks by Holm's procedure the verdicts that stay visible when the error rate is that of all
// of them together. Each alone is wrong with a probability of at most alpha if nothing has changed:
// in a long table some are. Exact differences and throughput are not among them.
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
