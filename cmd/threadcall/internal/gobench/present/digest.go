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

// A digest is how the second version differs from the first, in words: what has changed, row by
// row, and in one line what has not.
type digest struct {
	headline string    // one sentence: "1 of 12 benchmarks slower."
	sections []section // the units in which something has changed, or is inconclusive
	// the units in which no change is shown, and benchmarks that a version lacks
	sentences []string
}

// A section is one unit.
type section struct {
	unit string
	rows []row
	rest []string // lines: of how many others no change is shown
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

const (
	// tooNoisy is the minimum detectable effect from which on a row is called inconclusive.
	tooNoisy = 0.5
	// small is how far the interval of a row without a visible change may reach that has no line of
	// its own.
	small = 0.03
)

// A digester digests a comparison.
type digester struct {
	*judge.Comparison
	all  bool
	name func(judge.Row) string
}

// digestOf digests a comparison of two versions. With all, every row is in a section.
func digestOf(c *judge.Comparison, all bool) (x digest) {
	d := digester{c, all, names(c)}
	var quiet []string
	count := &tally{benchmarks: map[string]bool{}, inconclusive: map[string]bool{},
		found: map[string]int{}}
	for i := range c.Tables {
		s, text := d.section(&c.Tables[i], count)
		if len(s.rows) > 0 || len(s.rest) > 0 {
			x.sections = append(x.sections, s)
		} else if text != "" {
			quiet = append(quiet, text)
		}
	}
	if len(quiet) > 0 {
		x.sentences = []string{"No change shown: " + strings.Join(quiet, ", ") + "."}
	}
	x.headline = count.String()
	x.sentences = append(x.sentences, d.only()...)
	some := func(has func(row) bool) bool {
		return slices.ContainsFunc(x.sections, func(s section) bool {
			return slices.ContainsFunc(s.rows, has)
		})
	}
	if some(func(r row) bool { return strings.HasSuffix(r.p, "*") }) {
		x.sentences = append(x.sentences, asterisk)
	}
	if some(func(r row) bool { return strings.HasSuffix(r.name, cpuMark) }) {
		x.sentences = append(x.sentences, byCPU)
	}
	return x
}

// section digests a unit. If nothing in it needs a row or a line, it returns half a sentence in
// place of them.
func (d digester) section(t *judge.Table, count *tally) (s section, quiet string) {
	s.unit = t.Unit
	var rest rest
	compared := 0
	for i := range t.Rows {
		t, of, name := d.basis(t, &t.Rows[i])
		if of == nil {
			continue
		}
		delta := of.Delta
		rate := d.Throughput(t, of)
		if delta.Verdict == judge.None || !d.all && (rate || delta.Verdict == judge.Aside) {
			continue
		}
		compared++
		if !rate && delta.Verdict != judge.Aside {
			count.add(t, of)
		}
		if d.all || delta.Visible() || delta.Verdict == judge.TooFew || wide(delta) {
			s.rows = append(s.rows, d.row(t, of, name))
		} else {
			rest.add(t, name, delta)
		}
	}
	if compared == 0 {
		return s, ""
	}
	if len(s.rows) == 0 && len(rest.noisy) == 0 {
		return s, fmt.Sprintf("%s of %d%s", t.Unit, compared, rest.largest())
	}
	s.rest = rest.lines(len(s.rows) > 0)
	return s, ""
}

// wide reports whether the interval of a row without a visible change reaches so far that the
// reader must see it, and is not so wide that it says nothing.
func wide(d judge.Delta) bool {
	return d.Verdict == judge.Unseen && !d.Absolute && d.MDE <= tooNoisy && d.Interval != nil &&
		max(d.Interval.High-1, 1-d.Interval.Low) > small
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
	if d.all {
		return t, of, name
	}
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
	if d.all {
		r.old = strings.TrimSpace(r.old + " " + old.PlusMinus())
		r.new = strings.TrimSpace(r.new + " " + new.PlusMinus())
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
	case delta.Verdict == judge.Equal:
		r.change, r.interval = "equal", ""
	case delta.Verdict == judge.TooFew:
		r.change, r.interval = fmt.Sprintf("needs %d values", delta.Needs), ""
	case delta.Verdict == judge.Unseen:
		r.change = unseen(t, delta)
	case delta.Verdict == judge.Aside:
		r.change += " (aside)"
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

// blank returns a percentage as prose has it, with a blank before the sign.
func blank(percent string) string { return strings.Replace(percent, "%", " %", 1) }

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

// A rest is the rows of a unit that have no visible change and no line of their own.
type rest struct {
	same  int
	equal int     // of these, with the same number in all samples
	reach float64 // how far an interval reaches at most, relative
	noisy []string
	// the largest minimum detectable effect that is no ratio, in the unit
	detected string
}

func (r *rest) add(t *judge.Table, name string, d judge.Delta) {
	if d.Verdict == judge.Unseen && !d.Absolute && d.MDE > tooNoisy {
		r.noisy = append(r.noisy, name)
		return
	}
	r.same++
	if d.Verdict == judge.Equal {
		r.equal++
	}
	if d.Verdict == judge.Unseen && d.Absolute && d.MDE > 0 {
		r.detected = t.Detectable(d)
	} else if d.Verdict == judge.Unseen && d.Interval != nil {
		r.reach = max(r.reach, d.Interval.High-1, 1-d.Interval.Low)
	}
}

// largest returns how large a change can be that is not shown, in parentheses.
func (r *rest) largest() string {
	switch {
	case r.same > 0 && r.equal == r.same:
		return " (equal)"
	case r.reach > 0:
		return " (95% intervals within ±" + ceil(r.reach) + ")"
	case r.detected != "":
		return " (minimum detectable effect " + r.detected + ")"
	}
	return ""
}

// ceil rounds up to a tenth of a percent: the number is an upper bound.
func ceil(x float64) string { return blank(judge.Percent(math.Ceil(x*1000-1e-9) / 1000)) }

// lines reports the rest. Others says that there are rows above.
func (r *rest) lines(others bool) (lines []string) {
	if r.same > 0 {
		count := fmt.Sprint(r.same)
		if others {
			count = ui.Counted(r.same, "other", "others")
		}
		lines = append(lines, count+": no change shown"+r.largest())
	}
	if n := len(r.noisy); n > 0 {
		lines = append(lines, fmt.Sprintf("%d inconclusive, too noisy (minimum detectable effect "+
			"above %.0f %%): %s", n, 100*tooNoisy, ui.Some(r.noisy, 6)))
	}
	return lines
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
