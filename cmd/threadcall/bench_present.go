package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

// A benchResult is what is to be shown, of a run or of files.
type benchResult struct {
	report     *session.Report // nil: of files
	comparison *stats.Comparison
	settings   *session.Settings
	ratios     []string // the versions to which one table has the ratios; nil: a table for each unit
	breaches   []session.Case
	undecided  []session.Case
}

// present shows the result in each way that was asked for. The error, if any, is what is wrong with it; it and what is
// wrong with showing it become the failure of the command.
func (f *benchFlags) present(r benchResult, err error, out *screen.Screen, stdout io.Writer) error {
	errs := []error{err}
	r.ratios = f.ratios
	if f.asJSON {
		errs = append(errs, r.document(stdout))
	} else {
		r.print(out)
		errs = append(errs, out.Err)
	}
	if f.html != "" {
		if err := r.page(f.html); err != nil {
			errs = append(errs, fmt.Errorf("cannot write the page: %w", err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return failure{err}
	}
	return nil
}

// document writes the result as JSON.
func (r benchResult) document(w io.Writer) error {
	if r.report != nil {
		return writeJSON(w, r.report)
	}
	return writeJSON(w, struct {
		Comparison *stats.Comparison `json:"comparison"`
		Breaches   []session.Case    `json:"breaches"`
		Undecided  []session.Case    `json:"undecided"`
	}{r.comparison, r.breaches, r.undecided})
}

// print writes the result for people.
func (r benchResult) print(out *screen.Screen) {
	if r.report != nil {
		for _, v := range r.report.Versions {
			if len(r.report.Versions) > 1 {
				out.Paragraph(out.Bold(fmt.Sprintf("%-4s", v.Name)), v.What)
			}
		}
		if len(r.report.Versions) > 1 {
			fmt.Fprintln(out)
		}
	}
	if len(r.ratios) > 0 {
		r.printRatios(out)
	} else {
		table.Write(out, r.comparison)
	}
	if r.settings.AA {
		r.printMDE(out)
	}
	r.printUndecided(out)
	if r.report != nil {
		r.printRun(out)
	}
}

// printRatios writes the table that -ratios asks for. A version that it names need not be there: a run of some benchmarks
// may have no results of it.
func (r benchResult) printRatios(out *screen.Screen) {
	var cs []*stats.Comparison
	for _, version := range r.ratios {
		if c := r.comparison.To(version); c != nil {
			cs = append(cs, c)
		} else {
			out.Paragraph("Note: ", fmt.Sprintf("there is no %s; there are %s.", version, strings.Join(r.comparison.Versions, ", ")))
		}
	}
	if len(cs) > 0 {
		table.Ratios(out, cs...)
	}
}

// printMDE prints what a comparison of a binary with itself is for.
func (r benchResult) printMDE(out *screen.Screen) {
	fmt.Fprintln(out)
	middle, worst, ok := r.comparison.MDE()
	if !ok {
		out.Paragraph("", fmt.Sprintf("The minimum detectable effect is not known: that takes at least %d rounds.", stats.Rounds(r.comparison.Confidence)))
		return
	}
	out.Paragraph("", out.Bold("Minimum detectable effect on the time")+
		fmt.Sprintf(" in such a run: %s for the median benchmark, %s for the noisiest.", stats.Percent(middle), stats.Percent(worst)))
}

// printUndecided warns of rows on which -fail-on could not decide.
func (r benchResult) printUndecided(out *screen.Screen) {
	undecided := r.undecided
	if r.report != nil {
		undecided = r.report.Undecided
	}
	byLimit := map[string][]string{}
	var limits []string
	for _, b := range undecided {
		if byLimit[b.Limit] == nil {
			limits = append(limits, b.Limit)
		}
		text := b.Benchmark + " in " + b.Unit
		if b.MDE > 0 {
			text += " (MDE " + stats.Percent(b.MDE) + ")"
		}
		byLimit[b.Limit] = append(byLimit[b.Limit], text)
	}
	for _, l := range limits {
		names := byLimit[l]
		more := ""
		if len(names) > 6 {
			more = fmt.Sprintf(" and %d more", len(names)-6)
			names = names[:6]
		}
		out.Paragraph(out.Red("Warning")+": ", fmt.Sprintf("inconclusive: %s is below the minimum detectable effect of %s%s. Use more rounds, or a longer -benchtime.",
			l, strings.Join(names, ", "), more))
	}
}

// printRun prints how it was measured, and where the raw results are.
func (r benchResult) printRun(out *screen.Screen) {
	fmt.Fprintln(out)
	text := count(len(r.report.Rounds), "round", "rounds") + ": " + r.report.Stopped + ". "
	out.Paragraph("", text+r.noisy())
	if seen := r.meanwhile(); len(seen) > 0 {
		fmt.Fprintln(out)
		tellFindings(out, "The machine meanwhile", seen)
		fmt.Fprintln(out)
	}
	var files []string
	for _, v := range r.report.Versions {
		files = append(files, v.File)
	}
	out.Paragraph("", "Raw results: "+strings.Join(files, " "))
}

// meanwhile returns what was seen of the machine while benchmarks ran, without what noisy reports better.
func (r benchResult) meanwhile() []machine.Finding {
	return slices.DeleteFunc(slices.Clone(r.report.During), func(f machine.Finding) bool { return f.Name == "noisy" })
}

// noisy reports how often others used the CPUs that the benchmarks needed.
func (r benchResult) noisy() string {
	n := len(r.report.Noisy)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s noisy, the most %s. Their results are kept: to leave them out would make everything look faster than it is.",
		count(n, "process was", "processes were"), noisiest(r.report.Noisy))
}

// noisiest describes the one that took most.
func noisiest(all []session.Noisy) string {
	worst := all[0]
	for _, d := range all {
		if d.Taken.Lost() > worst.Taken.Lost() {
			worst = d
		}
	}
	return fmt.Sprintf("%s in round %d (%s)", worst.Benchmark, worst.Round, worst.Taken)
}

// page writes the result as a web page.
func (r benchResult) page(name string) error {
	p := chart.Report{Title: strings.Join(r.comparison.Versions, " and "), Comparison: r.comparison}
	if r.report == nil {
		return p.Save(name)
	}
	p.Title = "Benchmarks of " + r.report.Began.Format("2 January 2006, 15:04")
	add := func(name, value string) {
		if value != "" {
			p.Settings = append(p.Settings, chart.Fact{Name: name, Value: value})
		}
	}
	for _, v := range r.report.Versions {
		add(v.Name, v.What)
	}
	set := r.report.Settings
	add("command", r.report.Command)
	add("Go", r.report.Toolchain)
	add("rounds", fmt.Sprintf("%d: %s", len(r.report.Rounds), r.report.Stopped))
	add("benchtime", set.Benchtime)
	add("CPU frequency", set.Frequency)
	for _, v := range r.report.Versions {
		add("raw results", v.File)
	}
	for _, f := range r.report.Machine {
		p.Machine = append(p.Machine, chart.Fact{Name: f.Name, Value: f.Value, Meaning: f.Meaning, Warning: f.Level == machine.Warning})
	}
	for _, f := range r.meanwhile() {
		p.Machine = append(p.Machine, chart.Fact{Name: f.Name + " meanwhile", Value: f.Value, Meaning: f.Meaning, Warning: f.Level == machine.Warning})
	}
	p.Notes = r.report.Notes
	if text := r.noisy(); text != "" {
		p.Notes = append(p.Notes, text)
	}
	return p.Save(name)
}
