// Package present prints what was measured.
package present

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A printer writes a report.
type printer struct {
	*ui.Screen
	*judge.Report
}

// Print writes what has changed, or each figure if there is one version, then what failed and what
// could not be compared. Errors of writing stay in the screen.
func Print(out *ui.Screen, r *judge.Report) {
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
		name := strings.TrimPrefix(f.Package+"."+f.Name, ".")
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
		title = strings.TrimPrefix(title+": "+p.Versions[0].Short()+" → "+p.Versions[1].Short(), ": ")
	}
	fmt.Fprintln(p, p.Bold(title))
	for _, v := range p.Versions {
		p.Paragraph("  "+v.Name+"  ", v.What)
	}
	if p.Load != "" { // otherwise there was nothing to measure
		each := p.Settings.Benchtime
		if d, err := time.ParseDuration(each); err == nil {
			each = ui.Duration(d)
		}
		run := fmt.Sprintf("%s of %s in %s", ui.Counted(p.Rounds, "round", "rounds"), each,
			ui.Duration(p.Seconds*1e9))
		if p.Rounds < p.Settings.Count {
			run += ", " + p.Stopped
		}
		p.Paragraph("  run  ", fmt.Sprintf("%s; machine: %s (%v)", run, p.Load, p.Taken))
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

// comparison writes how the second version differs from the first.
func (p printer) comparison() {
	x := digestOf(p.Comparison)
	p.Paragraph("", p.Bold(x.headline))
	fmt.Fprintln(p)
	if len(x.sections) > 0 {
		p.table(x).Write(p.Screen)
		fmt.Fprintln(p)
	}
	for _, line := range x.sentences {
		p.Paragraph("", line)
	}
	if len(x.sentences) > 0 {
		fmt.Fprintln(p)
	}
}

// table returns the table of all units.
func (p printer) table(x digest) *ui.Table {
	g := &ui.Table{Left: 1, Whole: true}
	g.Add("", p.Comparison.Versions[0], p.Comparison.Versions[1], "change", "95% interval", "p")
	for _, s := range x.sections {
		g.Title(p.Bold(s.unit))
		for _, r := range s.rows {
			g.Add("  "+r.name, r.old, r.new, p.colour(r.verdict, r.change), r.interval, r.p)
		}
		if s.rest != "" {
			g.Note("  " + s.rest)
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

// inOneTable is how many units a table has, so that they fit the width of a screen.
const inOneTable = 4

// summary writes the only version: a row for each benchmark, and its units.
func (p printer) summary() {
	c := p.Comparison
	name := names(c)
	for units := range slices.Chunk(c.Tables, inOneTable) {
		g := ui.Table{Left: 1, Whole: true}
		heading := []string{""}
		for _, t := range units {
			heading = append(heading, t.Unit)
		}
		g.Add(append(heading, "n")...)
		for _, of := range benchmarks(c) {
			cells, n := []string{name(of)}, 0
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
func benchmarks(c *judge.Comparison) (all []judge.Row) {
	for i, t := range c.Tables {
		for _, row := range t.Rows {
			if !slices.ContainsFunc(c.Tables[:i], func(t judge.Table) bool {
				return c.Find(t.Unit, &row) != nil
			}) {
				all = append(all, row)
			}
		}
	}
	return all
}
