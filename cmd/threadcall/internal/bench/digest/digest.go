// Package digest reports what a comparison of benchmarks shows, in the words that the terminal, Markdown and the page share:
// what has changed, row by row, and in one line what has not.
package digest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A Comparison is how one version differs from the first.
type Comparison struct {
	Old, New  string
	Values    int       // of each benchmark in each version; 0: they differ
	Headline  string    // one sentence: "1 of 12 benchmarks slower."
	Sections  []Section // the units in which something has changed, or is inconclusive
	Unchanged string    // one line: the units in which nothing has; may be empty
	Only      []string  // sentences: the benchmarks that one of the versions does not have
	Layouts   []string  // sentences: how far layouts of the code move the time, compared with the change
	Asterisks bool      // some P have one
}

// A Section is one unit.
type Section struct {
	Unit string
	Rows []Row
	Rest []string // lines: how many others are unchanged, or inconclusive
}

// A Row is one benchmark, or their geometric mean.
type Row struct {
	Name     string
	Old, New string
	Change   string // the estimate
	Interval string // of the estimate
	P        string // with an asterisk: not visible when all verdicts are judged together
	Word     string // slower, more, unchanged
	Note     string // "1.04Gi → 655Mi B/s", where a row of time has that; or what the measure is not
	Verdict  stats.Verdict
	Mean     bool
	Of       *stats.Row // nil for the geometric mean
	Delta    stats.Delta
}

// Asterisk explains the one of P.
const Asterisk = "* does not hold when all verdicts are judged together; use more rounds."

// TooNoisy is the minimum detectable effect from which on a row is called inconclusive, and not unchanged.
const TooNoisy = 0.5

// Of digests the comparison of the version with this index. With all, every row is in a section.
func Of(c *stats.Comparison, version int, all bool) Comparison {
	x := Comparison{Old: c.Versions[0], New: c.Versions[version], Values: values(c, version)}
	d := digester{c, version, all, Names(c)}
	var unchanged []string
	count := newTally()
	for i := range c.Tables {
		t := &c.Tables[i]
		s, quiet := d.section(t, count)
		if len(s.Rows) > 0 || len(s.Rest) > 0 {
			x.Sections = append(x.Sections, s)
		} else if quiet != "" {
			unchanged = append(unchanged, quiet)
		}
	}
	if len(unchanged) > 0 {
		x.Unchanged = "Unchanged: " + strings.Join(unchanged, ", ") + "."
	}
	x.Headline = count.String()
	x.Only, x.Layouts = d.only(), d.layouts()
	for _, s := range x.Sections {
		x.Asterisks = x.Asterisks || slices.ContainsFunc(s.Rows, func(r Row) bool { return strings.HasSuffix(r.P, "*") })
	}
	return x
}

// A digester digests one version.
type digester struct {
	*stats.Comparison
	version int
	all     bool
	name    func(stats.Row) string
}

// section digests a unit. If nothing in it needs a row or a line, it returns half a sentence in place of them.
func (d digester) section(t *stats.Table, count *tally) (s Section, quiet string) {
	s.Unit = t.Unit
	var rest rest
	compared := 0
	for i := range t.Rows {
		row := &t.Rows[i]
		delta := row.Deltas[d.version]
		rate := d.Throughput(t, row)
		if delta.Verdict == stats.None || !d.all && (rate || delta.Verdict == stats.Aside) {
			continue
		}
		compared++
		if !rate && delta.Verdict != stats.Aside {
			count.add(t, row, delta)
		}
		if d.all || delta.Visible() || delta.Verdict == stats.TooFew {
			s.Rows = append(s.Rows, d.row(t, row, delta))
		} else {
			rest.add(t, d.name(*row), delta)
		}
	}
	if compared == 0 {
		return s, ""
	}
	if len(s.Rows) == 0 && rest.quiet() {
		return s, fmt.Sprintf("%s of %d%s", t.Unit, compared, rest.largest())
	}
	if d.version < len(t.Geomean) && t.Geomean[d.version].Over > 1 && len(s.Rows) > 0 && (d.all || t.Unit == "sec/op") {
		m := t.Geomean[d.version]
		r := describe(t, m, d.Family.Tests)
		r.Name, r.Mean = fmt.Sprintf("geomean of %d", m.Over), true
		r.P = strings.TrimSuffix(r.P, "*") // it is not among those that are judged together
		s.Rows = append(s.Rows, r)
	}
	s.Rest = rest.lines(len(s.Rows) > 0)
	return s, ""
}

func (d digester) row(t *stats.Table, row *stats.Row, delta stats.Delta) Row {
	old, new := row.Cells[0], row.Cells[d.version]
	r := describe(t, delta, d.Family.Tests)
	r.Of, r.Name, r.Old, r.New = row, d.name(*row), Value(t, old.Center), Value(t, new.Center)
	if d.all {
		r.Old, r.New = strings.TrimSpace(r.Old+" "+old.PlusMinus()), strings.TrimSpace(r.New+" "+new.PlusMinus())
	}
	if delta.Visible() && delta.Absolute && delta.Method == stats.Exactly {
		r.Change = ""
	}
	if t.Unit == "sec/op" && !d.all {
		if rate := d.Find("B/s", row.Package, row.Name); rate != nil && rate.Deltas[d.version].Verdict != stats.None {
			per := stats.Table{Unit: "B/s"}
			r.Note = fmt.Sprintf("%s → %s B/s", per.Value(rate.Cells[0].Center), per.Value(rate.Cells[d.version].Center))
		}
	}
	if at := d.Time(*row, d.version); at != nil && t.Unit == stats.CPUTime && delta.Visible() && at.Basis != stats.Wall {
		if w := d.Find("sec/op", row.Package, row.Name); !w.Deltas[d.version].Visible() {
			r.Note = "wall time inconclusive here"
		}
		if at.Runs == stats.OnMany {
			r.Note = strings.TrimPrefix(r.Note+", of several CPUs", ", ")
		}
	}
	return r
}

// describe puts a difference in words. Tests is how many verdicts are judged together.
func describe(t *stats.Table, d stats.Delta, tests int) Row {
	r := Row{Change: t.Change(d), Interval: t.Range(d), P: d.Probability(), Word: t.Word(d), Verdict: d.Verdict, Delta: d}
	if d.Method == stats.Exactly {
		r.Interval = ""
	}
	switch {
	case d.Verdict == stats.Equal:
		r.Change, r.Interval, r.Word = "", "", "equal"
	case d.Verdict == stats.TooFew:
		r.Change, r.Interval, r.Word = "", "", fmt.Sprintf("needs %d values", d.Needs)
	case d.Verdict == stats.Unseen:
		r.Change, r.Word = "", Inconclusive(t, d)
	case d.Verdict == stats.Aside:
		r.Word = "(aside)"
	case d.Visible() && !d.Holm && tests > 1 && r.P != "":
		r.P += "*"
	}
	return r
}

// Inconclusive returns what there is to report of a row without a visible change.
func Inconclusive(t *stats.Table, d stats.Delta) string {
	switch {
	case d.MDE == 0:
		return "most values equal"
	case !d.Absolute && d.MDE > TooNoisy:
		return "too noisy"
	}
	return "MDE " + Blank(t.Detectable(d))
}

// Value returns x as people write it. Seconds have their unit, for which the title of the section is too far away: 1.23µs.
func Value(t *stats.Table, x float64) string {
	text := t.Value(x)
	if strings.Contains(t.Unit, "sec") {
		text += "s"
	}
	return text
}

// Blank returns a percentage as prose has it, with a blank before the sign.
func Blank(percent string) string { return strings.Replace(percent, "%", " %", 1) }

// values returns the number of values of each benchmark in both versions if it is everywhere the same, or 0.
func values(c *stats.Comparison, version int) int {
	n := 0
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			old, new := row.Cells[0].N, row.Cells[version].N
			if old == 0 || new == 0 {
				continue
			}
			if n == 0 {
				n = old
			}
			if old != n || new != n {
				return 0
			}
		}
	}
	return n
}

// only reports the benchmarks that one version does not have, with the values of those that are new.
func (d digester) only() (sentences []string) {
	var gone, added []string
	add := func(names []string, row stats.Row) []string {
		if name := d.name(row); !slices.Contains(names, name) {
			return append(names, name)
		}
		return names
	}
	for _, t := range d.Tables {
		for _, row := range t.Rows {
			switch old, new := row.Cells[0].N > 0, row.Cells[d.version].N > 0; {
			case old && !new:
				gone = add(gone, row)
			case new && !old && t.Unit == "sec/op":
				added = append(added, fmt.Sprintf("%s (%s)", d.name(row), Value(&t, row.Cells[d.version].Center)+" a call"))
			case new && !old && d.Find("sec/op", row.Package, row.Name) == nil:
				added = add(added, row)
			}
		}
	}
	if len(gone) > 0 {
		sentences = append(sentences, fmt.Sprintf("Only in %s: %s.", d.Versions[0], strings.Join(gone, ", ")))
	}
	if len(added) > 0 {
		sentences = append(sentences, fmt.Sprintf("Only in %s: %s.", d.Versions[d.version], strings.Join(added, ", ")))
	}
	return sentences
}
