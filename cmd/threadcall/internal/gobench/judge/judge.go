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
)

// A Report is a run and what it shows.
type Report struct {
	measure.Record
	Comparison *Comparison `json:"comparison"`
	Breaches   []Case      `json:"breaches"`  // of -fail-on
	Undecided  []Case      `json:"undecided"` // rows on which -fail-on could not decide
}

// Judge compares the results of a run. The error is what is wrong with them.
func Judge(run *measure.Record, d *measure.Data, s *plan.Settings) (r *Report, err error) {
	r = &Report{*run, Compare(d), []Case{}, []Case{}}
	if len(d.Results) > 0 { // otherwise all is identical
		r.Breaches, r.Undecided, err = Check(r.Comparison, s.FailOn)
	}
	return r, err
}

// Compare analyses all results. A run may ask it after every round.
func Compare(d *measure.Data) *Comparison {
	c := &Comparison{
		Versions:   slices.Clone(d.Versions),
		Confidence: plan.Confidence,
		Tables:     []Table{},
		Failures:   append([]plan.Failure{}, d.Failures...),
		Warnings:   append([]string{}, d.Warnings...),
	}
	for _, unit := range units(d) {
		t := Table{Unit: unit, Better: Direction(d, unit), Rows: rows(d, unit),
			exact: d.Units.GetAssumption(unit) == benchmath.AssumeExact}
		for i := range t.Rows {
			row := &t.Rows[i]
			for i := range row.Cells {
				row.Cells[i].summarize(t.exact)
			}
			t.compare(row, alpha)
		}
		c.Tables = append(c.Tables, t)
	}
	c.threads.Rows = rows(d, measure.Threads)
	c.time()
	c.judge()
	return c
}

// usual are the units of package testing, in its order, and those of threadcall bench.
var usual = []string{"sec/op", measure.CPUTime, "B/s", "B/op", "allocs/op"}

// units returns the units of all results in the order of the tables.
func units(d *measure.Data) []string {
	var units []string
	for _, r := range d.Results {
		for _, v := range r.Values {
			if v.Unit != measure.Threads && !slices.Contains(units, v.Unit) {
				units = append(units, v.Unit)
			}
		}
	}
	rank := func(unit string) int {
		if i := slices.Index(usual, unit); i >= 0 {
			return i
		}
		return len(usual)
	}
	slices.SortFunc(units, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return units
}

// Direction returns 1 if higher values of a tidied unit are better, -1 if lower ones are, and 0 if
// that is not known.
func Direction(d *measure.Data, unit string) int {
	if b := d.Units.GetBetter(unit); b != 0 || d.Units.Get(unit, "better") != nil {
		return b
	}
	if unit == "sec" || strings.HasPrefix(unit, "sec/") || unit == measure.CPUTime {
		return -1
	}
	return 0
}

// rows returns the benchmarks that have this unit, with their samples, in the order of their names.
func rows(d *measure.Data, unit string) []Row {
	var rows []Row
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
			rows = append(rows, Row{Package: key[0], Name: key[1],
				Cells: make([]Cell, len(d.Versions))})
		}
		cell := &rows[i].Cells[r.Version]
		cell.Samples = append(cell.Samples, Sample{r.Round, value})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), natural(a.Name, b.Name))
	})
	return rows
}

// judge marks by Holm's procedure the verdicts that stay visible when the error rate is that of all
// of them together. Each alone is wrong with a probability of at most alpha if nothing has changed:
// in a long table some are. Exact differences and throughput are not among them.
func (c *Comparison) judge() {
	var tests []*Delta
	for i := range c.Tables {
		t := &c.Tables[i]
		for i := range t.Rows {
			d := &t.Rows[i].Delta
			if !c.Throughput(t, &t.Rows[i]) && d.Method != Exactly &&
				(d.Visible() || d.Verdict == Unseen) {
				tests = append(tests, d)
			}
		}
	}
	slices.SortFunc(tests, func(a, b *Delta) int { return cmp.Compare(a.P, b.P) })
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
