package present

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A digest is how one version differs from the first, in the words that the terminal and
// Markdown share: what has changed, row by row, and in one line what has not.
type digest struct {
	Old, New string
	Headline string    // one sentence: "1 of 12 benchmarks slower."
	Sections []section // the units in which something has changed, or is inconclusive
	// the units in which nothing has changed, and benchmarks that a version lacks
	Sentences []string
}

// A section is one unit.
type section struct {
	Unit string
	Rows []row
	Rest []string // lines: how many others are unchanged, or inconclusive
}

// A row is one benchmark.
type row struct {
	Name     string
	Old, New string
	Change   string // the estimate, and what it is called: slower, more, unchanged
	Interval string // of the estimate
	P        string // with an asterisk: not visible when all verdicts are judged together
	Verdict  judge.Verdict
}

const asterisk = "* does not hold when all verdicts are judged together; use more rounds."

// tooNoisy is the minimum detectable effect from which on a row is called inconclusive, and not
// unchanged.
const tooNoisy = 0.5

// A digester digests one version.
type digester struct {
	*judge.Comparison
	version int
	all     bool
	name    func(judge.Row) string
}

// digestOf digests the comparison of the version with this index. With all, every row is in a
// section.
func digestOf(c *judge.Comparison, version int, all bool) digest {
	x := digest{Old: c.Versions[0], New: c.Versions[version]}
	d := digester{c, version, all, names(c)}
	var unchanged []string
	count := &tally{benchmarks: map[string]bool{}, inconclusive: map[string]bool{},
		found: map[string]int{}}
	for i := range c.Tables {
		s, quiet := d.section(&c.Tables[i], count)
		if len(s.Rows) > 0 || len(s.Rest) > 0 {
			x.Sections = append(x.Sections, s)
		} else if quiet != "" {
			unchanged = append(unchanged, quiet)
		}
	}
	if len(unchanged) > 0 {
		x.Sentences = []string{"Unchanged: " + strings.Join(unchanged, ", ") + "."}
	}
	x.Headline = count.String()
	x.Sentences = append(x.Sentences, d.only()...)
	for _, s := range x.Sections {
		if slices.ContainsFunc(s.Rows, func(r row) bool { return strings.HasSuffix(r.P, "*") }) {
			x.Sentences = append(x.Sentences, asterisk)
			break
		}
	}
	return x
}

// section digests a unit. If nothing in it needs a row or a line, it returns half a sentence in
// place of them.
func (d digester) section(t *judge.Table, count *tally) (s section, quiet string) {
	s.Unit = t.Unit
	var rest rest
	compared := 0
	for i := range t.Rows {
		of := &t.Rows[i]
		delta := of.Deltas[d.version]
		rate := d.Throughput(t, *of)
		if delta.Verdict == judge.None || !d.all && (rate || delta.Verdict == judge.Aside) {
			continue
		}
		compared++
		if !rate && delta.Verdict != judge.Aside {
			count.add(t, of, delta)
		}
		if d.all || delta.Visible() || delta.Verdict == judge.TooFew {
			s.Rows = append(s.Rows, d.row(t, of, delta))
		} else {
			rest.add(t, d.name(*of), delta)
		}
	}
	if compared == 0 {
		return s, ""
	}
	if len(s.Rows) == 0 && len(rest.noisy) == 0 {
		return s, fmt.Sprintf("%s of %d%s", t.Unit, compared, rest.largest())
	}
	s.Rest = rest.lines(len(s.Rows) > 0)
	return s, ""
}

func (d digester) row(t *judge.Table, of *judge.Row, delta judge.Delta) row {
	old, new := of.Cells[0], of.Cells[d.version]
	r := d.describe(t, delta)
	r.Name, r.Old, r.New = d.name(*of), value(t, old.Center), value(t, new.Center)
	if d.all {
		r.Old = strings.TrimSpace(r.Old + " " + old.PlusMinus())
		r.New = strings.TrimSpace(r.New + " " + new.PlusMinus())
	}
	return r
}

// describe puts a difference in words.
func (d digester) describe(t *judge.Table, delta judge.Delta) row {
	r := row{Interval: t.Range(delta), P: delta.Probability(), Verdict: delta.Verdict}
	r.Change = strings.TrimSpace(t.Change(delta) + " " + t.Word(delta))
	if delta.Method == judge.Exactly {
		r.Interval = ""
	}
	switch {
	case delta.Verdict == judge.Equal:
		r.Change, r.Interval = "equal", ""
	case delta.Verdict == judge.TooFew:
		r.Change, r.Interval = fmt.Sprintf("needs %d values", delta.Needs), ""
	case delta.Verdict == judge.Unseen:
		r.Change = inconclusive(t, delta)
	case delta.Verdict == judge.Aside:
		r.Change += " (aside)"
	case delta.Visible() && delta.Absolute && delta.Method == judge.Exactly:
		r.Change = t.Word(delta)
	}
	if delta.Visible() && !delta.Holm && d.Family.Tests > 1 && r.P != "" {
		r.P += "*"
	}
	return r
}

// inconclusive returns what there is to report of a row without a visible change.
func inconclusive(t *judge.Table, d judge.Delta) string {
	switch {
	case d.MDE == 0:
		return "most values equal"
	case !d.Absolute && d.MDE > tooNoisy:
		return "too noisy"
	}
	return "MDE " + blank(t.Detectable(d))
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

// only reports the benchmarks that one version does not have, with the values of those that are
// new.
func (d digester) only() (sentences []string) {
	var gone, added []string
	add := func(names []string, name string) []string {
		if !slices.Contains(names, name) {
			return append(names, name)
		}
		return names
	}
	for _, t := range d.Tables {
		for _, row := range t.Rows {
			name := d.name(row)
			switch old, new := row.Cells[0].N > 0, row.Cells[d.version].N > 0; {
			case old && !new:
				gone = add(gone, name)
			case new && !old && t.Unit == "sec/op":
				took := value(&t, row.Cells[d.version].Center)
				added = append(added, fmt.Sprintf("%s (%s a call)", name, took))
			case new && !old && d.Find("sec/op", row) == nil:
				added = add(added, name)
			}
		}
	}
	for i, names := range [][]string{gone, added} {
		if names != nil {
			version := d.Versions[i*d.version]
			sentences = append(sentences, fmt.Sprintf("Only in %s: %s.", version,
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

// A rest is the rows of a unit that have no visible change.
type rest struct {
	same     int     // whose change would have been visible
	mde      float64 // the largest of theirs
	worst    string  // the benchmark that has it
	noisy    []string
	detected string // the largest one that is not a ratio, in the unit
}

func (r *rest) add(t *judge.Table, name string, d judge.Delta) {
	if d.Verdict == judge.Unseen && !d.Absolute && d.MDE > tooNoisy {
		r.noisy = append(r.noisy, name)
		return
	}
	r.same++
	if d.Verdict == judge.Unseen && d.Absolute && d.MDE > 0 {
		r.detected = t.Detectable(d)
	} else if d.Verdict == judge.Unseen && d.MDE > r.mde {
		r.mde, r.worst = d.MDE, name
	}
}

// largest returns the largest minimum detectable effect, in parentheses.
func (r *rest) largest() string {
	switch {
	case r.mde > 0 && r.same > 1:
		return fmt.Sprintf(" (minimum detectable effect up to %s, %s)", ceil(r.mde), r.worst)
	case r.mde > 0:
		return " (minimum detectable effect " + ceil(r.mde) + ")"
	case r.detected != "":
		return " (minimum detectable effect " + r.detected + ")"
	}
	return ""
}

// ceil rounds up to a tenth of a percent: the effect is an upper bound.
func ceil(x float64) string { return blank(judge.Percent(math.Ceil(x*1000-1e-9) / 1000)) }

// lines reports the rest. Others says that there are rows above.
func (r *rest) lines(others bool) (lines []string) {
	if r.same > 0 {
		count := fmt.Sprint(r.same)
		if others {
			count = ui.Counted(r.same, "other", "others")
		}
		lines = append(lines, count+" unchanged"+r.largest())
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

func (c *tally) add(t *judge.Table, row *judge.Row, d judge.Delta) {
	key := row.Package + "." + row.Name
	c.benchmarks[key] = true
	switch word := t.Word(d); {
	case d.Visible():
		switch t.Unit {
		case "sec/op":
		case measure.CPUTime:
			word = "with " + word + " CPU time"
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
		text := "No visible change in " + all + inconclusive
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
