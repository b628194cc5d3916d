package present

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A digest is how the second version differs from the first, in words.
type digest struct {
	headline string    // one sentence: "Of 12 benchmarks: 1 slower."
	sections []section // the units in which not all benchmarks are equal
	// the units in which all are, benchmarks that a version lacks, and what marks mean
	sentences []string
}

// A section is one unit.
type section struct {
	unit string
	rows []row
	rest string // of how many others all values are equal
}

// A row is one benchmark.
type row struct {
	name     string
	old, new string
	change   string // the estimate, and what it is called: slower, more
	interval string // of the estimate
	p        string // with an asterisk: not visible when all verdicts are judged together
	verdict  judge.Verdict
}

const (
	asterisk = "* does not hold when all verdicts are judged together; use more rounds."
	byCPU    = "(CPU): by CPU time, because the time varies more."
)

// tooNoisy is the minimum detectable effect from which on a row is called inconclusive.
const tooNoisy = 0.5

// A digester digests a comparison.
type digester struct {
	*judge.Comparison
	name func(judge.Row) string
}

// digestOf digests a comparison of two versions.
func digestOf(c *judge.Comparison) (x digest) {
	d := digester{c, names(c)}
	var equal []string
	count := &tally{benchmarks: map[string]bool{}, inconclusive: map[string]bool{},
		found: map[string]int{}}
	marked, byAnother := false, false
	for i := range c.Tables {
		s, same := d.section(&c.Tables[i], count)
		switch {
		case len(s.rows) > 0:
			if same > 0 {
				s.rest = ui.Counted(same, "other: equal", "others: equal")
			}
			x.sections = append(x.sections, s)
		case same > 0:
			equal = append(equal, fmt.Sprintf("%s of %d (equal)", s.unit, same))
		}
		for _, r := range s.rows {
			marked = marked || strings.HasSuffix(r.p, "*")
			byAnother = byAnother || strings.HasSuffix(r.name, cpuMark)
		}
	}
	if equal != nil {
		x.sentences = []string{"No change shown: " + strings.Join(equal, ", ") + "."}
	}
	x.headline = count.String()
	x.sentences = append(x.sentences, d.only()...)
	if marked {
		x.sentences = append(x.sentences, asterisk)
	}
	if byAnother {
		x.sentences = append(x.sentences, byCPU)
	}
	return x
}

// section digests a unit, with the number of benchmarks in which all values are equal. Throughput
// is the time in another unit.
func (d digester) section(t *judge.Table, count *tally) (s section, equal int) {
	s.unit = t.Unit
	for i := range t.Rows {
		t, of, name := d.basis(t, &t.Rows[i])
		if of == nil || of.Delta.Verdict == judge.None || of.Delta.Verdict == judge.Aside ||
			d.Throughput(t, of) {
			continue
		}
		count.add(t, of)
		if of.Delta.Verdict == judge.Equal {
			equal++
		} else {
			s.rows = append(s.rows, d.row(t, of, name))
		}
	}
	return s, equal
}

// ofTime has what the time is called of which CPU time decides.
var ofTime = map[string]string{"more": "slower", "less": "faster"}

// cpuMark ends the name of a benchmark whose verdict about the time is that about its CPU time.
const cpuMark = " (CPU)"

// basis returns the row of a benchmark, with its table and name. Time and CPU time are two measures
// of one benchmark, which has one verdict, in the section of the time; it is about the measure that
// judge chose, or if that is both, about the one that has visibly changed. For a row of CPU time
// that the section of the time shows, basis returns nil.
func (d digester) basis(t *judge.Table, of *judge.Row) (*judge.Table, *judge.Row, string) {
	name := d.name(*of)
	switch t.Unit {
	case measure.CPUTime:
		if d.Find("sec/op", of) != nil {
			return t, nil, ""
		}
	case "sec/op":
		cpu, wall := d.Find(measure.CPUTime, of), of.Delta
		if cpu == nil || wall.Visible() {
			break
		}
		by := cpu.Delta
		if by.Visible() || wall.Verdict == judge.Aside && by.Verdict != judge.None {
			return d.table(measure.CPUTime), cpu, name + cpuMark
		}
	}
	return t, of, name
}

// table returns the one of a unit.
func (d digester) table(unit string) *judge.Table {
	return &d.Tables[slices.IndexFunc(d.Tables, func(t judge.Table) bool { return t.Unit == unit })]
}

func (d digester) row(t *judge.Table, of *judge.Row, name string) row {
	old, new, delta := of.Cells[0], of.Cells[1], of.Delta
	r := d.describe(t, delta)
	r.name, r.old, r.new = name, value(t, old.Center), value(t, new.Center)
	if word := t.Word(delta); strings.HasSuffix(name, cpuMark) && word != "" {
		r.change = strings.TrimSuffix(r.change, word) + ofTime[word]
	}
	return r
}

// describe puts a difference in words.
func (d digester) describe(t *judge.Table, delta judge.Delta) row {
	r := row{interval: t.Range(delta), p: delta.Probability(), verdict: delta.Verdict}
	r.change = strings.TrimSpace(t.Change(delta) + " " + t.Word(delta))
	if delta.Method == judge.Exactly {
		r.interval = ""
	}
	switch {
	case delta.Verdict == judge.TooFew:
		r.change, r.interval = fmt.Sprintf("needs %d values", delta.Needs), ""
	case delta.Verdict == judge.Unseen:
		r.change = unseen(t, delta)
	case delta.Visible() && delta.Absolute && delta.Method == judge.Exactly:
		r.change = t.Word(delta)
	}
	if delta.Visible() && !delta.Holm && d.Family.Tests > 1 && r.p != "" {
		r.p += "*"
	}
	return r
}

// unseen returns what there is to report of a row without a visible change: the estimate.
func unseen(t *judge.Table, d judge.Delta) string {
	switch {
	case d.MDE == 0:
		return "most values equal"
	case !d.Absolute && d.MDE > tooNoisy:
		return t.Change(d) + " too noisy"
	}
	return t.Change(d) + " not shown"
}

// value returns x as people write it. Seconds have their unit, for which the title of the section
// is too far away: 1.23µs.
func value(t *judge.Table, x float64) string {
	text := t.Value(x)
	if strings.Contains(t.Unit, "sec") {
		text += "s"
	}
	return text
}

// only names the benchmarks that one version does not have.
func (d digester) only() (sentences []string) {
	var there [2][]string
	for _, row := range benchmarks(d.Comparison) {
		for i := range there {
			if row.Cells[1-i].N == 0 {
				there[i] = append(there[i], d.name(row))
			}
		}
	}
	for i, names := range there {
		if names != nil {
			sentences = append(sentences, fmt.Sprintf("Only in %s: %s.", d.Versions[i],
				strings.Join(names, ", ")))
		}
	}
	return sentences
}

// names returns a function of rows: the name to show. It is without the number of CPUs that all
// names end with, and if there are several packages, it has the part of the package's path in which
// they differ.
func names(c *judge.Comparison) func(judge.Row) string {
	suffix, common := "", ""
	for i, t := range c.Tables {
		for j, row := range t.Rows {
			if s := judge.Procs(row.Name); i+j == 0 {
				suffix, common = s, row.Package
			} else if s != suffix {
				suffix = ""
			}
			for common != "" && row.Package != common &&
				!strings.HasPrefix(row.Package, common+"/") {
				if common = path.Dir(common); common == "." {
					common = ""
				}
			}
		}
	}
	several := c.SeveralPackages()
	return func(r judge.Row) string {
		name := strings.TrimSuffix(r.Name, suffix)
		if !several || r.Package == "" {
			return name
		}
		pkg := strings.TrimPrefix(strings.TrimPrefix(r.Package, common), "/")
		if pkg == "" {
			pkg = path.Base(r.Package)
		}
		return pkg + "." + name
	}
}

// ceil rounds up to a tenth of a percent: the number is an upper bound.
func ceil(x float64) string {
	return strings.Replace(judge.Percent(math.Ceil(x*1000-1e-9)/1000), "%", " %", 1)
}

// A tally counts what has changed, for the headline.
type tally struct {
	benchmarks   map[string]bool
	inconclusive map[string]bool
	order        []string // of found
	found        map[string]int
	mde          float64
}

func (c *tally) add(t *judge.Table, row *judge.Row) {
	d, key := row.Delta, row.Package+"."+row.Name
	c.benchmarks[key] = true
	switch word := t.Word(d); {
	case d.Visible():
		switch t.Unit {
		case "sec/op":
		case measure.CPUTime: // its verdict is that about the time
			word = ofTime[word]
		default:
			word = "with " + word + " " + t.Unit
		}
		if c.found[word] == 0 {
			c.order = append(c.order, word)
		}
		c.found[word]++
	case d.Verdict == judge.TooFew || d.Verdict == judge.Unseen && !d.Absolute && d.MDE > tooNoisy:
		c.inconclusive[key] = true
	case d.Verdict == judge.Unseen && !d.Absolute:
		c.mde = max(c.mde, d.MDE)
	}
}

// String returns one sentence.
func (c *tally) String() string {
	n := len(c.benchmarks)
	if n == 0 {
		return "There is nothing to compare."
	}
	all := ui.Counted(n, "benchmark", "benchmarks")
	inconclusive := ""
	if k := len(c.inconclusive); k == n {
		inconclusive = "; inconclusive"
	} else if k > 0 {
		inconclusive = fmt.Sprintf("; %d inconclusive", k)
	}
	if len(c.found) == 0 {
		text := "No change shown in " + all + inconclusive
		if c.mde > 0 && inconclusive == "" {
			text += "; minimum detectable effect up to " + ceil(c.mde)
		}
		return text + "."
	}
	rank := map[string]int{"slower": -2, "faster": -1}
	slices.SortStableFunc(c.order, func(a, b string) int { return rank[a] - rank[b] })
	var parts []string
	for _, word := range c.order {
		parts = append(parts, fmt.Sprintf("%d %s", c.found[word], word))
	}
	return "Of " + all + ": " + strings.Join(parts, ", ") + inconclusive + "."
}
