// Package present prints what was measured.
package present

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// A printer writes a report.
type printer struct {
	*ui.Screen
	*bench.Report
}

// Print writes what has changed, or each figure if there is one version, then what failed and what
// could not be compared. Errors of writing stay in the screen.
func Print(out *ui.Screen, r *bench.Report) {
	p := printer{out, r}
	p.header()
	if len(r.Comparison.Versions) == 1 {
		p.summary()
	} else {
		p.comparison()
	}
	if len(r.Comparison.Failures) > 0 {
		fmt.Fprintln(p, p.Red("Failed"))
	}
	for _, f := range r.Comparison.Failures {
		name := f.Of()
		if len(r.Comparison.Versions) > 1 {
			name += " (" + f.Version + ")"
		}
		p.Paragraph("  ", name+": "+f.Reason)
	}
	for _, note := range slices.Concat(r.Comparison.Warnings, r.Notes) {
		p.Paragraph("Note: ", note)
	}
	p.undecided()
}

// header writes what was compared and how.
func (p printer) header() {
	title := p.Module
	if len(p.Versions) > 1 {
		title = strings.TrimPrefix(title+": "+p.Versions[0].Short+" → "+p.Versions[1].Short, ": ")
	}
	fmt.Fprintln(p, p.Bold(title))
	for _, v := range p.Versions {
		p.Paragraph("  "+v.Name+"  ", v.What)
	}
	if p.Seconds > 0 { // otherwise there was nothing to measure
		each := p.Settings.Benchtime.String()
		if d := p.Settings.Benchtime.Time; d > 0 {
			each = ui.Duration(d)
		}
		run := fmt.Sprintf("%s of %s in %s", ui.Counted(p.Rounds, "round", "rounds"), each,
			ui.Duration(p.Seconds*1e9))
		if p.Rounds < p.Settings.Count {
			run += ", " + p.Stopped
		}
		p.Paragraph("  run  ", run)
	}
	fmt.Fprintln(p)
}

// undecided names for each limit the rows that could not decide about it.
func (p printer) undecided() {
	byLimit := map[string][]string{}
	for _, b := range p.Undecided {
		byLimit[b.Limit] = append(byLimit[b.Limit], b.Benchmark+" in "+b.Unit)
	}
	for _, l := range slices.Sorted(maps.Keys(byLimit)) {
		p.Paragraph(p.Red("Warning")+": ", fmt.Sprintf("inconclusive: %s is below the minimum "+
			"detectable effect of %s. Use more rounds, or a longer -benchtime.", l,
			ui.Some(byLimit[l], 6)))
	}
}

// inOneTable is how many units a table has, so that they fit the width of a screen.
const inOneTable = 4

// summary writes the only version: a row for each benchmark, and its units.
func (p printer) summary() {
	c := p.Comparison
	for units := range slices.Chunk(c.Tables, inOneTable) {
		g := ui.Table{Left: 1, Whole: true}
		heading := []string{""}
		for _, t := range units {
			heading = append(heading, t.Unit)
		}
		g.Add(append(heading, "n")...)
		for _, of := range benchmarks(c) {
			cells, n := []string{p.name(of)}, 0
			for _, t := range units {
				text := ""
				if row := c.Find(t.Unit, &of); row != nil {
					n = max(n, row.Cells[0].N)
					text = strings.TrimSpace(t.Value(row.Cells[0].Center) + " " + row.Cells[0].PlusMinus())
				}
				cells = append(cells, text)
			}
			if n > 0 {
				g.Add(append(cells, fmt.Sprint(n))...)
			}
		}
		g.Write(p.Screen)
		fmt.Fprintln(p)
	}
}

// benchmarks returns a row of each benchmark.
func benchmarks(c *bench.Comparison) (all []bench.Row) {
	known := map[[2]string]bool{}
	for _, row := range c.All() {
		if key := [2]string{row.Package, row.Name}; !known[key] {
			known[key] = true
			all = append(all, *row)
		}
	}
	return all
}

// name returns the name to show: without the number of CPUs, unless there are several, and with the
// package's path in the module if there are several packages.
func (p printer) name(r bench.Row) string {
	name := r.Name
	if len(p.Settings.CPU) < 2 {
		name = gotest.PlainName(name, p.Settings.CPU)
	}
	if !p.Comparison.SeveralPackages() {
		return name
	}
	inside := strings.TrimPrefix(strings.TrimPrefix(r.Package, p.Module), "/")
	return cmp.Or(inside, path.Base(r.Package)) + "." + name
}

// comparison writes how the second version differs from the first: one sentence, a table of the
// units in which not all benchmarks are equal, and what is not in it.
func (p printer) comparison() {
	c, n := p.Comparison, &tally{benchmarks: map[string]bool{}, inconclusive: map[string]bool{},
		found: map[string]int{}}
	g := &ui.Table{Left: 1, Whole: true}
	g.Add("", c.Versions[0], c.Versions[1], "change", "95% interval", "p")
	var equal []string
	empty := true
	for i := range c.Tables {
		t := &c.Tables[i]
		switch rows, same := p.rows(t, n); {
		case len(rows) > 0:
			empty = false
			g.Add(p.Bold(t.Unit))
			for _, cells := range rows {
				g.Add(cells...)
			}
			if same > 0 {
				g.Add("  " + ui.Counted(same, "other: no change", "others: no change"))
			}
		case same > 0:
			equal = append(equal, fmt.Sprintf("%s of %d", t.Unit, same))
		}
	}
	p.Paragraph("", p.Bold(n.String()))
	fmt.Fprintln(p)
	if !empty {
		g.Write(p.Screen)
		fmt.Fprintln(p)
	}
	var sentences []string
	if equal != nil {
		sentences = append(sentences, "No change shown: "+strings.Join(equal, ", ")+".")
	}
	sentences = append(sentences, p.only()...)
	if n.starred {
		sentences = append(sentences, asterisk)
	}
	if n.byCPU {
		sentences = append(sentences, byCPU)
	}
	for _, line := range sentences {
		p.Paragraph("", line)
	}
	if len(sentences) > 0 {
		fmt.Fprintln(p)
	}
}

const (
	asterisk = "* does not hold when all verdicts are judged together; use more rounds."
	byCPU    = "(CPU): by CPU time, because the time varies more."
)

// tooNoisy is the minimum detectable effect from which on a row is called inconclusive.
const tooNoisy = 0.5

// rows returns the rows of a unit, with the number of benchmarks in which all values are equal, or
// numbers of allocated things the same within 1 %, and counts them. Throughput is the time in
// another unit.
func (p printer) rows(of *bench.Table, n *tally) (rows [][]string, equal int) {
	for i := range of.Rows {
		t, r := p.basis(of, &of.Rows[i])
		if r == nil || r.Delta.Verdict == bench.None || r.Delta.Verdict == bench.Aside ||
			p.Comparison.Throughput(t, r) {
			continue
		}
		n.add(t, r)
		if d := r.Delta; d.Verdict == bench.Equal || t.Counted() && d.Verdict == bench.Unseen &&
			!d.Absolute && (d.MDE < 0.01 || t.Change(d) == "0%") {
			equal++
			continue
		}
		name, probability := "  "+p.name(*r), r.Delta.Probability()
		if t != of {
			name += " (CPU)"
			n.byCPU = true
		}
		if r.Delta.Visible() && !r.Delta.Holm && probability != "" {
			probability += "*"
			n.starred = true
		}
		change, interval := describe(t, r.Delta)
		rows = append(rows, []string{name, value(t, r.Delta.Pair[0]), value(t, r.Delta.Pair[1]),
			p.colour(r.Delta.Verdict, change), interval, probability})
	}
	return rows, equal
}

// basis returns the row of a benchmark, with its table. Time and CPU time are two measures of one
// benchmark, which has one verdict, in the section of the time; it is about the measure that judge
// chose, or if that is both, about the one that has visibly changed. For a row of CPU time that the
// section of the time shows, basis returns nil.
func (p printer) basis(t *bench.Table, r *bench.Row) (*bench.Table, *bench.Row) {
	c := p.Comparison
	switch t.Unit {
	case bench.CPUTime:
		if c.Find(bench.WallTime, r) != nil {
			return t, nil
		}
	case bench.WallTime:
		cpu, wall := c.Find(bench.CPUTime, r), r.Delta
		if cpu != nil && !wall.Visible() && (cpu.Delta.Visible() ||
			wall.Verdict == bench.Aside && cpu.Delta.Verdict != bench.None) {
			return c.Table(bench.CPUTime), cpu
		}
	}
	return t, r
}

// describe puts a difference in words: the estimate with what it is called, and the interval.
func describe(t *bench.Table, d bench.Delta) (change, interval string) {
	word := t.Word(d)
	switch {
	case d.Verdict == bench.TooFew:
		return fmt.Sprintf("needs %d values", d.Needs), ""
	case d.Verdict == bench.Unseen && d.MDE == 0:
		return "most values equal", t.Range(d)
	case d.Verdict == bench.Unseen && !d.Absolute && d.MDE > tooNoisy:
		word = "too noisy"
	case d.Verdict == bench.Unseen:
		word = "not shown"
	case d.Method == bench.Exactly && d.Absolute:
		return word, ""
	}
	return t.Change(d) + " " + word, t.Range(d)
}

func (p printer) colour(v bench.Verdict, text string) string {
	switch v {
	case bench.Better:
		return p.Green(text)
	case bench.Worse:
		return p.Red(text)
	case bench.Changed:
		return text
	}
	return p.Faint(text)
}

// value returns x as people write it. Seconds have their unit, for which the title of the section
// is too far away: 1.23µs.
func value(t *bench.Table, x float64) string {
	if strings.Contains(t.Unit, "sec") {
		return t.Value(x) + "s"
	}
	return t.Value(x)
}

// only names the benchmarks that one version does not have.
func (p printer) only() (sentences []string) {
	for i, version := range p.Comparison.Versions {
		var names []string
		for _, row := range benchmarks(p.Comparison) {
			if row.Cells[1-i].N == 0 {
				names = append(names, p.name(row))
			}
		}
		if names != nil {
			sentences = append(sentences, fmt.Sprintf("Only in %s: %s.", version,
				strings.Join(names, ", ")))
		}
	}
	return sentences
}

// A tally counts what has changed, for the first sentence, and knows which marks are explained.
type tally struct {
	benchmarks     map[string]bool
	inconclusive   map[string]bool
	words          []string // of found, in their order
	found          map[string]int
	mde            float64
	starred, byCPU bool
}

func (n *tally) add(t *bench.Table, r *bench.Row) {
	d, key := r.Delta, r.Package+"."+r.Name
	n.benchmarks[key] = true
	switch {
	case d.Visible():
		word := t.Word(d)
		if t.Unit != bench.WallTime && t.Unit != bench.CPUTime { // whose verdict is that about the time
			word = "with " + word + " " + t.Unit
		}
		if n.found[word] == 0 {
			n.words = append(n.words, word)
		}
		n.found[word]++
	case d.Verdict == bench.TooFew || d.Verdict == bench.Unseen && !d.Absolute && d.MDE > tooNoisy:
		n.inconclusive[key] = true
	case d.Verdict == bench.Unseen && !d.Absolute:
		n.mde = max(n.mde, d.MDE)
	}
}

// String returns one sentence: "Of 12 benchmarks: 1 slower."
func (n *tally) String() string {
	if len(n.benchmarks) == 0 {
		return "There is nothing to compare."
	}
	all, inconclusive := ui.Counted(len(n.benchmarks), "benchmark", "benchmarks"), ""
	if k := len(n.inconclusive); k == len(n.benchmarks) {
		inconclusive = "; inconclusive"
	} else if k > 0 {
		inconclusive = fmt.Sprintf("; %d inconclusive", k)
	}
	if len(n.words) == 0 {
		if n.mde > 0 && inconclusive == "" {
			inconclusive = fmt.Sprintf("; minimum detectable effect up to %.1f %%", 100*n.mde+0.05)
		}
		return "No change shown in " + all + inconclusive + "."
	}
	rank := map[string]int{"slower": -2, "faster": -1}
	slices.SortStableFunc(n.words, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	var parts []string
	for _, word := range n.words {
		parts = append(parts, fmt.Sprintf("%d %s", n.found[word], word))
	}
	return "Of " + all + ": " + strings.Join(parts, ", ") + inconclusive + "."
}
