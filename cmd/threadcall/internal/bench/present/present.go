// Package present shows what was measured: as text, Markdown, JSON, or a page.
package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/markdown"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Result is what is to be shown, of a run or of files.
type Result struct {
	judge.Compared
	Report   *judge.Report // nil: of files
	Settings *plan.Settings
	Ratios   []string // the versions to which one table has the ratios; nil: a table for each unit
}

// Document returns what is to be written as JSON: a Report or a Compared. The samples are in the comparison of
// all versions, and not again in those of pairs.
func (r Result) Document() any {
	if r.Report != nil {
		report := *r.Report
		report.Against = nil
		for _, c := range r.Report.Against {
			report.Against = append(report.Against, c.WithoutSamples())
		}
		return &report
	}
	return r.Compared
}

// Print writes the result for people.
func (r Result) Print(out *ui.Screen) {
	r.printHeader(out)
	if len(r.Ratios) > 0 {
		r.printRatios(out)
	} else {
		pairs := once(r.pairs())
		for _, c := range pairs {
			if len(pairs) > 1 {
				fmt.Fprintln(out, out.Bold(strings.Join(c.Versions, " → ")))
			}
			table.Write(out, c, r.Settings.Verbose)
		}
	}
	if r.Settings.AA {
		r.printMDE(out)
	}
	r.printUndecided(out)
	if r.Report != nil {
		r.printRun(out)
	}
}

// once returns the comparisons without the failures and warnings that one before has had: those of the newest version are in
// each.
func once(all []*stats.Comparison) (kept []*stats.Comparison) {
	failed, warned := map[stats.Failure]bool{}, map[string]bool{}
	for _, c := range all {
		one := *c
		one.Failures = slices.DeleteFunc(slices.Clone(c.Failures), func(f stats.Failure) bool { return failed[f] })
		one.Warnings = slices.DeleteFunc(slices.Clone(c.Warnings), func(w string) bool { return warned[w] })
		for _, f := range c.Failures {
			failed[f] = true
		}
		for _, w := range c.Warnings {
			warned[w] = true
		}
		kept = append(kept, &one)
	}
	return kept
}

// printHeader writes what was compared and how.
func (r Result) printHeader(out *ui.Screen) {
	facts := r.Facts()
	if facts == nil && len(r.Comparison.Versions) < 2 {
		return
	}
	fmt.Fprintln(out, out.Bold(r.Title()))
	width := 0
	for _, f := range facts {
		width = max(width, ui.Columns(f[0]))
	}
	for _, f := range facts {
		out.Paragraph("  "+ui.Pad(f[0], width, true)+"  ", f[1])
	}
	fmt.Fprintln(out)
}

// pairs returns what is to be shown one after the other.
func (r Result) pairs() []*stats.Comparison {
	if r.Report == nil {
		return []*stats.Comparison{r.Comparison}
	}
	return r.Report.Pairs()
}

// printRatios writes the table that -ratios asks for. A version that it names need not be there: a run of some benchmarks
// may have no results of it.
func (r Result) printRatios(out *ui.Screen) {
	var cs []*stats.Comparison
	for _, version := range r.Ratios {
		if c := r.Comparison.To(version); c != nil {
			cs = append(cs, c)
		} else {
			out.Paragraph("Note: ", fmt.Sprintf("there is no %s; there are %s.", version, strings.Join(r.Comparison.Versions, ", ")))
		}
	}
	if len(cs) > 0 {
		table.Ratios(out, cs...)
	}
}

// printMDE prints what a comparison of a binary with itself is for.
func (r Result) printMDE(out *ui.Screen) {
	fmt.Fprintln(out)
	middle, worst, ok := r.Comparison.MDE()
	if !ok {
		out.Paragraph("", "The minimum detectable effect is not known: use more rounds.")
		return
	}
	out.Paragraph("", out.Bold("Minimum detectable effect on the time")+
		fmt.Sprintf(" in such a run: %s for the median benchmark, %s for the noisiest.", stats.Percent(middle), stats.Percent(worst)))
}

// printUndecided warns of rows on which -fail-on could not decide.
func (r Result) printUndecided(out *ui.Screen) {
	for _, text := range r.undecided() {
		out.Paragraph(out.Red("Warning")+": ", text)
	}
}

// undecided returns a sentence for each limit on which some rows could not decide.
func (r Result) undecided() (sentences []string) {
	byLimit := map[string][]string{}
	var limits []string
	for _, b := range r.Undecided {
		if byLimit[b.Limit] == nil {
			limits = append(limits, b.Limit)
		}
		text := b.Benchmark + " in " + b.Unit
		switch {
		case b.MDE > digest.TooNoisy:
			text += " (too noisy)"
		case b.MDE > 0:
			text += " (" + digest.Blank(stats.Percent(b.MDE)) + ")"
		}
		byLimit[b.Limit] = append(byLimit[b.Limit], text)
	}
	for _, l := range limits {
		sentences = append(sentences, fmt.Sprintf("inconclusive: %s is below the minimum detectable effect of %s. Use more rounds, or a longer -benchtime.",
			l, ui.Some(byLimit[l], 6)))
	}
	return sentences
}

// printRun prints what was noted, how it was measured, and where the raw results are.
func (r Result) printRun(out *ui.Screen) {
	for _, note := range r.Report.Notes {
		out.Paragraph("Note: ", note)
	}
	if r.Settings.Verbose {
		if text := r.noisy(); text != "" {
			out.Paragraph("", text)
		}
		fmt.Fprintln(out)
		writeFindings(out, "The machine before", r.Report.Machine)
		writeFindings(out, "The machine meanwhile", r.meanwhile())
		fmt.Fprintln(out)
	}
	var files []string
	for _, v := range r.Report.Versions {
		if v.File != "" {
			files = append(files, v.File)
		}
	}
	out.Paragraph("Raw results: ", strings.Join(files, " "))
}

// writeFindings prints what matters, and in one line what is fine.
func writeFindings(out *ui.Screen, title string, findings []machine.Finding) {
	if len(findings) == 0 {
		return
	}
	fmt.Fprintln(out, out.Bold(title))
	var fine []string
	for _, f := range findings {
		if f.Level == machine.Fine {
			fine = append(fine, f.Name+" "+f.Value)
			continue
		}
		mark := "note    "
		if f.Level == machine.Warning {
			mark = out.Red("warning") + " "
		}
		text := f.Name + ": " + f.Value
		if f.Meaning != "" {
			text += ". " + f.Meaning
		}
		out.Paragraph("  "+mark, text)
	}
	if fine != nil {
		out.Paragraph("  "+out.Green("fine")+"    ", strings.Join(fine, "; "))
	}
}

// Markdown returns the result for a pull request.
func (r Result) Markdown() markdown.Report {
	m := markdown.Report{Title: r.Title(), Facts: r.Facts(), Comparisons: once(r.pairs())}
	if err := judge.Broken(r.Breaches); err != nil {
		m.Broken = strings.Split(err.Error(), "\n")
	}
	if r.Report != nil {
		m.Notes = slices.Clone(r.Report.Notes)
	}
	m.Notes = append(m.Notes, r.undecided()...)
	return m
}

// meanwhile returns what was seen of the machine while benchmarks ran, without what noisy reports better.
func (r Result) meanwhile() []machine.Finding {
	return slices.DeleteFunc(slices.Clone(r.Report.During), func(f machine.Finding) bool { return f.Name == "noisy" })
}

// noisy reports how often other processes used the CPUs that the benchmarks needed.
func (r Result) noisy() string {
	n := len(r.Report.Noisy)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s noisy, the most %s. Their results are kept: to leave them out would make everything look faster than it is.",
		ui.Counted(n, "process was", "processes were"), noisiest(r.Report.Noisy))
}

// noisiest describes the one that took most.
func noisiest(all []measure.Noisy) string {
	worst := all[0]
	for _, d := range all {
		if d.Taken.Lost() > worst.Taken.Lost() {
			worst = d
		}
	}
	return fmt.Sprintf("%s in round %d (%s)", worst.Benchmark, worst.Round, worst.Taken)
}

// SavePage writes the result as a web page.
func (r Result) SavePage(name string) error {
	p := chart.Report{Title: r.Title(), Comparison: r.Comparison}
	for _, f := range r.Facts() {
		p.Facts = append(p.Facts, chart.Fact{Name: f[0], Value: f[1]})
	}
	if r.Report == nil {
		return p.Save(name)
	}
	p.Against = r.Report.Against
	add := func(name, value string) {
		if value != "" {
			p.Settings = append(p.Settings, chart.Fact{Name: name, Value: value})
		}
	}
	set := r.Report.Settings
	add("began", r.Report.Began.Format("2 January 2006, 15:04"))
	add("command", r.Report.Command)
	add("Go", r.Report.Toolchain)
	add("rounds", fmt.Sprintf("%d: %s", len(r.Report.Rounds), r.Report.Stopped))
	add("benchtime", set.Benchtime)
	for _, v := range r.Report.Versions {
		add("raw results", v.File)
	}
	p.Machine = slices.Clone(r.Report.Machine)
	for _, f := range r.meanwhile() {
		f.Name += " meanwhile"
		p.Machine = append(p.Machine, f)
	}
	p.Notes = slices.Clone(r.Report.Notes)
	if text := r.noisy(); text != "" {
		p.Notes = append(p.Notes, text)
	}
	return p.Save(name)
}
