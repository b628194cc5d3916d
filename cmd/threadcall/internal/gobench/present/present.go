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
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			if key := [2]string{row.Package, row.Name}; !known[key] {
				known[key] = true
				all = append(all, row)
			}
		}
	}
	return all
}

// name returns the name to show: without the number of CPUs, unless there are several, and with the
// package's path in the module if there are several packages.
func (p printer) name(r bench.Row) string {
	name := r.Name
	if len(p.Settings.CPU.Each()) == 1 {
		name = gotest.PlainName(name, p.Settings.CPU)
	}
	if !p.Comparison.SeveralPackages() {
		return name
	}
	inside := strings.TrimPrefix(strings.TrimPrefix(r.Package, p.Module), "/")
	return cmp.Or(inside, path.Base(r.Package)) + "." + name
}
