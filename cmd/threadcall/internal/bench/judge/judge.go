// Package judge compares what was measured, and decides about limits.
package judge

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
)

// A Compared is what results show, and the document of a comparison of files.
type Compared struct {
	Comparison *Comparison `json:"comparison"` // of all versions with the first
	Breaches   []Case      `json:"breaches"`   // of -fail-on
	Undecided  []Case      `json:"undecided"`  // rows on which -fail-on could not decide
}

// A Report is a run and what it shows.
type Report struct {
	measure.Record
	Compared
}

// Analyse compares the data as the settings ask for.
func Analyse(d *measure.Data, s *plan.Settings) (c *Comparison, err error) {
	if s.Filter != "" {
		if d, err = filter(d, s.Filter); err != nil {
			return nil, err
		}
	}
	if s.Col != "" {
		if d, err = project(d, s.Col); err != nil {
			return nil, err
		}
	}
	c = Compare(d)
	if c.oneAfterTheOther() {
		c.Warnings = append(c.Warnings, "These files have no rounds in common: one was measured after "+
			"the other, and a difference of the times may be the machine's. threadcall bench -vs "+
			"measures both in the same rounds.")
	}
	return c, nil
}

// oneAfterTheOther reports whether a visible difference of times comes from values that were not
// measured in the same rounds.
func (c *Comparison) oneAfterTheOther() bool {
	for _, unit := range []string{"sec/op", measure.CPUTime, "B/s"} {
		t := c.table(unit)
		if t != nil && slices.ContainsFunc(t.Rows, func(r Row) bool {
			return slices.ContainsFunc(r.Deltas, func(d Delta) bool {
				return d.Method == Ranks && d.Visible()
			})
		}) {
			return true
		}
	}
	return false
}

// Judge compares the results of a run. The error is what is wrong with them; there is no report if
// nothing can be compared.
func Judge(run *measure.Record, d *measure.Data, s *plan.Settings) (*Report, error) {
	c, err := Analyse(d, s)
	if err != nil {
		return nil, err
	}
	r := &Report{Record: *run, Compared: Compared{c, []Case{}, []Case{}}}
	if len(d.Results) == 0 { // all is identical
		return r, nil
	}
	r.Breaches, r.Undecided, err = Check(c, s.FailOn)
	return r, err
}

// Compare analyses all results. A run may ask it after every round.
func Compare(d *measure.Data) *Comparison {
	c := &Comparison{
		Versions:   slices.Clone(d.Versions),
		Confidence: plan.Confidence,
		Tables:     []Table{},
		Failures:   append([]measure.Failure{}, d.Failures...),
		Warnings:   append([]string{}, d.Warnings...),
	}
	for _, unit := range units(d) {
		t := Table{Unit: unit, Better: Direction(d, unit), Rows: rows(d, unit),
			exact: d.Units.GetAssumption(unit) == benchmath.AssumeExact}
		for _, row := range t.Rows {
			for i := range row.Cells {
				row.Cells[i].summarize(t.exact)
			}
		}
		t.compare()
		c.Tables = append(c.Tables, t)
	}
	c.threads.Rows = rows(d, measure.Threads)
	c.conclude()
	return c
}

// conclude decides which of the tables' verdicts count, and how many of them chance explains.
func (c *Comparison) conclude() {
	c.time()
	c.Family = c.judge()
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

// rows returns the benchmarks that have this unit, with their samples. Those of a run, which
// shuffles, come in the order of their names, those of a file as they stand there.
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
		cell.Samples = append(cell.Samples, Sample{r.Place, value})
	}
	if shuffled(d) {
		slices.SortFunc(rows, func(a, b Row) int {
			return cmp.Or(cmp.Compare(a.Package, b.Package), natural(a.Name, b.Name))
		})
	}
	return rows
}

// judge counts the verdicts that chance could have made, and marks by Holm's procedure those that
// stay visible when the error rate is that of all of them together. Exact differences and
// throughput are not among them.
func (c *Comparison) judge() Family {
	var tests []*Delta
	for i := range c.Tables {
		t := &c.Tables[i]
		for _, row := range t.Rows {
			if c.Throughput(t, row) {
				continue
			}
			for i := range row.Deltas {
				d := &row.Deltas[i]
				if d.Method != Exactly && (d.Visible() || d.Verdict == Unseen) {
					tests = append(tests, d)
				}
			}
		}
	}
	slices.SortFunc(tests, func(a, b *Delta) int { return cmp.Compare(a.P, b.P) })
	f := Family{Tests: len(tests)}
	stopped := false
	for i, d := range tests {
		if !d.Visible() {
			break
		}
		f.Visible++
		stopped = stopped || d.P > (1-c.Confidence)/float64(len(tests)-i)
		if !stopped {
			d.Holm = true
			f.Confirmed++
		}
	}
	return f
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

// byName returns the results of runs, which shuffle, in the order of their names, and those of
// other files as they stand there.
func byName(d *measure.Data) (all []*benchfmt.Result) {
	for _, r := range d.Results {
		all = append(all, r.Result)
	}
	if shuffled(d) {
		slices.SortStableFunc(all, func(a, b *benchfmt.Result) int {
			return natural(a.Name.String(), b.Name.String())
		})
	}
	return all
}

// shuffled reports whether all results are of runs.
func shuffled(d *measure.Data) bool {
	return !slices.ContainsFunc(d.Results, func(r measure.Result) bool { return r.Round < 0 })
}
