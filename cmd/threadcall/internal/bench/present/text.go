package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Print writes the result for people: what has changed, or each figure if there is one version,
// then what failed and what could not be compared. Errors of writing stay in the screen.
func (r Result) Print(out *ui.Screen) {
	r.printHeader(out)
	if len(r.Settings.Ratios) > 0 {
		r.printRatios(out)
	} else {
		printer{out, r.Settings.Verbose}.print(r.Comparison)
		if r.Settings.Verbose {
			printLegend(out)
		}
	}
	failures := r.failures()
	if failures != nil {
		fmt.Fprintln(out, out.Red("Failed"))
	}
	for _, f := range failures {
		out.Paragraph("  ", f[0]+": "+f[1])
	}
	for _, w := range r.Comparison.Warnings {
		out.Paragraph("Note: ", w)
	}
	for _, text := range r.undecided() {
		out.Paragraph(out.Red("Warning")+": ", text)
	}
	if r.Report != nil {
		r.printRun(out)
	}
}

// printHeader writes what was compared and how.
func (r Result) printHeader(out *ui.Screen) {
	facts := r.facts()
	if facts == nil && len(r.Comparison.Versions) < 2 {
		return
	}
	fmt.Fprintln(out, out.Bold(r.title()))
	width := 0
	for _, f := range facts {
		width = max(width, ui.Columns(f[0]))
	}
	for _, f := range facts {
		out.Paragraph("  "+ui.Pad(f[0], width, true)+"  ", f[1])
	}
	fmt.Fprintln(out)
}

// printRun prints what was noted, how it was measured, and where the raw results are.
func (r Result) printRun(out *ui.Screen) {
	for _, note := range r.Report.Notes {
		out.Paragraph("Note: ", note)
	}
	if r.Settings.Verbose {
		out.Paragraph("", fmt.Sprintf("While benchmarks ran, %v. Noisy processes: %d of %d; their "+
			"results are kept, because to leave them out would make everything look faster than "+
			"it is.", r.Report.Taken, r.Report.Noisy, r.Report.Processes))
	}
	var files []string
	for _, v := range r.Report.Versions {
		if v.File != "" {
			files = append(files, v.File)
		}
	}
	if files != nil {
		out.Paragraph("Raw results: ", strings.Join(files, " "))
	}
}

// Compare writes a comparison with all rows.
func Compare(out *ui.Screen, c *judge.Comparison) {
	printer{out, true}.print(c)
	printLegend(out)
}

func printLegend(out *ui.Screen) {
	for _, line := range legend {
		out.Paragraph("", line)
	}
}

// A printer writes comparisons.
type printer struct {
	*ui.Screen
	verbose bool
}

// print writes what c shows.
func (p printer) print(c *judge.Comparison) {
	if len(c.Versions) == 1 {
		p.summary(c)
	}
	for version := 1; version < len(c.Versions); version++ {
		p.comparison(c, version)
	}
}

// legend explains the words of the tables.
var legend = []string{
	"±: how far the 95% interval of the median reaches; ±?: there are too few values for it.",
	"A change is visible if its 95% interval excludes 0. Where nothing has changed, a row shows " +
		"one with a probability of at most 5%.",
	"Changes and p of values that come in rounds are of the ratios within the rounds: their " +
		"median, and the sign test or the signed-rank test. Of others, they are of the ratios of " +
		"all values: their median, and the Mann-Whitney U-test. If one version was measured " +
		"after the other, such a change may be the machine's.",
	fmt.Sprintf("not shown: the interval of the estimate includes 0. A row is too noisy if an "+
		"estimate of %.0f %% would not have been visible.", 100*tooNoisy),
	fmt.Sprintf("needs: with fewer values than %d in rounds no difference can be shown, however "+
		"large it is.", plan.LeastRounds()),
	"(aside): the verdict about the time rests on another unit.",
}

// comparison writes how a version differs from the first one.
func (p printer) comparison(c *judge.Comparison, version int) {
	x := digestOf(c, version, p.verbose)
	if p.verbose || len(c.Versions) > 2 {
		fmt.Fprintln(p, p.Bold(x.Old+" → "+x.New))
	}
	p.Paragraph("", p.Bold(x.Headline))
	fmt.Fprintln(p)
	if len(x.Sections) > 0 {
		p.sections(x)
		fmt.Fprintln(p)
	}
	for _, line := range x.Sentences {
		p.Paragraph("", line)
	}
	if len(x.Sentences) > 0 {
		fmt.Fprintln(p)
	}
}

// sections writes the units.
func (p printer) sections(x digest) {
	if slices.ContainsFunc(x.Sections, func(s section) bool { return len(s.Rows) > 0 }) {
		p.table(x).Write(p.Screen)
		return
	}
	for _, s := range x.Sections {
		for _, text := range s.Rest {
			p.Paragraph("  ", p.Bold(s.Unit)+": "+text)
		}
	}
}

// table returns the table of all units.
func (p printer) table(x digest) *ui.Table {
	g := &ui.Table{Left: 1, Whole: true}
	short := func(version string) string {
		if p.Width > ui.MaxWidth {
			return version
		}
		return ui.Tail(version, 14)
	}
	g.Add("", short(x.Old), short(x.New), "change", "95% interval", "p")
	for _, s := range x.Sections {
		g.Title(p.Bold(s.Unit))
		for _, r := range s.Rows {
			g.Add("  "+r.Name, r.Old, r.New, p.colour(r.Verdict, r.Change), r.Interval, r.P)
		}
		for _, text := range s.Rest {
			g.Note("  " + text)
		}
	}
	return g
}

func (p printer) colour(v judge.Verdict, text string) string {
	switch v {
	case judge.Better:
		return p.Green(text)
	case judge.Worse:
		return p.Red(text)
	case judge.Changed:
		return text
	}
	return p.Faint(text)
}

// summary writes the only version.
func (p printer) summary(c *judge.Comparison) {
	for _, rows := range summaries(c) {
		g := ui.Table{Left: 1, Whole: true}
		for _, row := range rows {
			g.Add(row...)
		}
		g.Write(p.Screen)
		fmt.Fprintln(p)
	}
}

// inOneTable is how many units a table has, so that they fit the width of a screen.
const inOneTable = 4

// summaries returns the tables of the only version: the units, and then a row for each benchmark.
func summaries(c *judge.Comparison) (tables [][][]string) {
	name := names(c)
	var order []judge.Row // each benchmark once
	for i, t := range c.Tables {
		for _, row := range t.Rows {
			if !slices.ContainsFunc(c.Tables[:i], func(t judge.Table) bool {
				return c.Find(t.Unit, row) != nil
			}) {
				order = append(order, row)
			}
		}
	}
	for units := range slices.Chunk(c.Tables, inOneTable) {
		heading := []string{""}
		for _, t := range units {
			heading = append(heading, t.Unit)
		}
		rows := [][]string{append(heading, "n")}
		for _, of := range order {
			cells, n := []string{name(of)}, 0
			for _, t := range units {
				text := ""
				if row := c.Find(t.Unit, of); row != nil {
					cell := row.Cells[0]
					n = max(n, cell.N)
					text = strings.TrimSpace(t.Value(cell.Center) + " " + cell.PlusMinus())
				}
				cells = append(cells, text)
			}
			if n > 0 {
				rows = append(rows, append(cells, fmt.Sprint(n)))
			}
		}
		tables = append(tables, rows)
	}
	return tables
}
