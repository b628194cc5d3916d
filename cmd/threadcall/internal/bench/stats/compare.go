package stats

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// Confidence is that of each interval and verdict.
const Confidence = 0.95

// Rounds returns how many rounds a run needs at least to show anything.
func Rounds() int { return samplesNeeded(Pairs, 0) }

// Compare analyses all results. A run may ask it after every round.
func (d *Data) Compare() *Comparison {
	c := &Comparison{
		Versions:   d.Versions(),
		Confidence: Confidence,
		Tables:     []Table{},
		Failures:   append([]Failure{}, d.Failures...),
		Warnings:   append([]string{}, d.Warnings...),
	}
	for _, unit := range d.units() {
		c.Tables = append(c.Tables, d.table(unit))
	}
	c.threads = d.rows(Threads)
	c.conclude()
	return c
}

// To returns the same results compared with another version, or nil if there is none of that name. Judged together, the
// verdicts of both are more than each Family counts.
func (c *Comparison) To(version string) *Comparison {
	first := slices.Index(c.Versions, version)
	if first < 0 {
		return nil
	}
	order := []int{first}
	for v := range c.Versions {
		if v != first {
			order = append(order, v)
		}
	}
	return c.arranged(order)
}

// Pair returns the results of two versions, or nil if one of them is not there.
func (c *Comparison) Pair(old, new string) *Comparison {
	order := []int{slices.Index(c.Versions, old), slices.Index(c.Versions, new)}
	if slices.Min(order) < 0 {
		return nil
	}
	return c.arranged(order)
}

// WithoutSamples returns the comparison without what it was made of.
func (c *Comparison) WithoutSamples() *Comparison {
	one := *c
	one.Tables = slices.Clone(c.Tables)
	for i := range one.Tables {
		rows := slices.Clone(one.Tables[i].Rows)
		for j := range rows {
			rows[j].Cells = slices.Clone(rows[j].Cells)
			for k := range rows[j].Cells {
				rows[j].Cells[k].Samples = nil
			}
		}
		one.Tables[i].Rows = rows
	}
	return &one
}

// arranged returns the versions with these indices, compared with the first of them.
func (c *Comparison) arranged(order []int) *Comparison {
	to := &Comparison{Confidence: c.Confidence, Failures: []Failure{}, Warnings: c.Warnings}
	arrange := func(cells []Cell) (arranged []Cell) {
		for _, v := range order {
			arranged = append(arranged, cells[v])
		}
		return arranged
	}
	for _, v := range order {
		to.Versions = append(to.Versions, c.Versions[v])
	}
	for _, f := range c.Failures {
		if f.Version == "" || slices.Contains(to.Versions, f.Version) {
			to.Failures = append(to.Failures, f)
		}
	}
	for _, t := range c.Tables {
		t.Rows = slices.Clone(t.Rows)
		for i := range t.Rows {
			t.Rows[i].Cells = arrange(t.Rows[i].Cells)
		}
		t.compare(len(order))
		to.Tables = append(to.Tables, t)
	}
	for _, r := range c.threads {
		r.Cells = arrange(r.Cells)
		to.threads = append(to.threads, r)
	}
	to.conclude()
	return to
}

// conclude decides which of the tables' verdicts count, and how many of them chance explains.
func (c *Comparison) conclude() {
	c.time()
	c.Family = c.judge()
}

// Units that threadcall bench measures next to those of package testing.
const (
	CPUTime = "cpu-sec/op"
	Threads = "runnable-threads" // how many ran or were ready to, on average; it has no table
)

// usual are the units of package testing, in its order, and those of threadcall bench.
var usual = []string{"sec/op", CPUTime, "B/s", "B/op", "allocs/op"}

// units returns the units of all results in the order of the tables.
func (d *Data) units() []string {
	var units []string
	for _, r := range d.results {
		for _, v := range r.Values {
			if v.Unit != Threads && !slices.Contains(units, v.Unit) {
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

func (d *Data) table(unit string) Table {
	t := Table{Unit: unit, Better: better(d.Units, unit), Rows: d.rows(unit), exact: d.Units.GetAssumption(unit) == benchmath.AssumeExact}
	for i := range t.Rows {
		row := &t.Rows[i]
		for j := range row.Cells {
			row.Cells[j].summarise(t.exact)
		}
	}
	t.compare(len(d.versions))
	return t
}

// compare finds how the versions differ from the first.
func (t *Table) compare(versions int) {
	for i := range t.Rows {
		row := &t.Rows[i]
		row.Deltas = make([]Delta, len(row.Cells))
		for j := 1; j < len(row.Cells); j++ {
			row.Deltas[j] = t.delta(row.Cells[0].perLayout(), row.Cells[j].perLayout())
			row.Deltas[j].Layout = layoutOf(row.Cells[0], row.Cells[j], row.Deltas[j].Absolute)
		}
	}
	t.Geomean = t.geomean(versions)
}

// better is GetBetter for tidied units as well.
func better(units benchfmt.UnitMetadataMap, unit string) int {
	if b := units.GetBetter(unit); b != 0 || units.Get(unit, "better") != nil {
		return b
	}
	switch {
	case unit == "sec" || strings.HasPrefix(unit, "sec/") || unit == CPUTime:
		return -1
	}
	return 0
}

// rows returns the benchmarks that have this unit, with their samples. Those of a run, which shuffles, come in the order
// of their names, those of a file as they stand there.
func (d *Data) rows(unit string) []Row {
	var rows []Row
	at := map[[2]string]int{}
	shuffled := true
	for _, r := range d.results {
		value, ok := r.Value(unit)
		if !ok {
			continue
		}
		key := [2]string{r.GetConfig("pkg"), r.Name.String()}
		i, ok := at[key]
		if !ok {
			i = len(rows)
			at[key] = i
			rows = append(rows, Row{Package: key[0], Name: key[1], Cells: make([]Cell, len(d.versions))})
		}
		cell := &rows[i].Cells[r.version]
		cell.Samples = append(cell.Samples, Sample{r.run, r.number, r.layout, value})
		shuffled = shuffled && r.number >= 0
	}
	if shuffled {
		slices.SortFunc(rows, func(a, b Row) int {
			return cmp.Or(cmp.Compare(a.Package, b.Package), natural(a.Name, b.Name))
		})
	}
	return rows
}

// judge counts the verdicts that chance could have made, and marks by Holm's procedure those that stay visible when the
// error rate is that of all of them together. Exact differences, geometric means, and throughput are not among them.
func (c *Comparison) judge() Family {
	var tests []*Delta
	for i := range c.Tables {
		t := &c.Tables[i]
		for j := range t.Rows {
			row := &t.Rows[j]
			if c.Throughput(t, row) {
				continue
			}
			for i := range row.Deltas {
				if d := &row.Deltas[i]; d.Verdict != None && d.Verdict != Aside && d.Method != Exactly && d.Verdict != TooFew {
					tests = append(tests, d)
				}
			}
		}
	}
	slices.SortFunc(tests, func(a, b *Delta) int { return cmp.Compare(a.P, b.P) })
	f := Family{Tests: len(tests), Expected: float64(len(tests)) * (1 - c.Confidence)}
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
