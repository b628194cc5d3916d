package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/host"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

const (
	enoughRounds = 20   // from which on the test by signs misses little
	smallChange  = 0.02 // one that few people look for

	shortest = 20 * time.Millisecond // a round that others on the machine do not interrupt as a whole
)

// A benchResult is what is to be shown, of a run or of files.
type benchResult struct {
	report     *bench.Report // nil: of files
	comparison *stats.Comparison
	settings   *bench.Settings
	ratios     []string // the versions to which one table has the ratios; nil: a table for each unit
	breaches   []bench.Breach
	blind      []bench.Blind
}

// present shows the result in each way that was asked for. The error, if any, is what is wrong with it; it and what is
// wrong with showing it become the failure of the command.
func (f *benchFlags) present(r benchResult, err error, out *ui.Screen, stdout io.Writer) error {
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
		Breaches   []bench.Breach    `json:"breaches"`
		Blind      []bench.Blind     `json:"blind"`
	}{r.comparison, r.breaches, r.blind})
}

// print writes the result for people.
func (r benchResult) print(out *ui.Screen) {
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
		r.printSmallest(out)
	}
	r.printBlind(out)
	if hint := r.hint(); hint != "" {
		fmt.Fprintln(out)
		out.Paragraph("", hint)
	}
	if r.report != nil {
		r.printRun(out)
	}
}

// printRatios writes the table that -ratios asks for. A version that it names need not be there: a run of some benchmarks
// may have no results of it.
func (r benchResult) printRatios(out *ui.Screen) {
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

// printSmallest says what a comparison of a binary with itself is for.
func (r benchResult) printSmallest(out *ui.Screen) {
	fmt.Fprintln(out)
	middle, worst, ok := r.comparison.Smallest()
	if !ok {
		out.Paragraph("", fmt.Sprintf("Nothing can be said about what this machine can show: that needs at least %d rounds.", stats.Rounds(r.comparison.Confidence)))
		return
	}
	out.Paragraph("", out.Bold("The smallest change of the time that this machine can show in such a run")+
		fmt.Sprintf(": %s for the benchmark in the middle, %s for the hardest.", stats.Percent(middle), stats.Percent(worst)))
}

// printBlind warns of what -fail-on could not have seen.
func (r benchResult) printBlind(out *ui.Screen) {
	blind := r.blind
	if r.report != nil {
		blind = r.report.Blind
	}
	byLimit := map[string][]string{}
	var limits []string
	for _, b := range blind {
		if byLimit[b.Limit] == nil {
			limits = append(limits, b.Limit)
		}
		text := b.Benchmark + " in " + b.Unit
		if b.Smallest > 0 {
			text += " (at least " + stats.Percent(b.Smallest) + ")"
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
		out.Paragraph(out.Red("Warning")+": ", fmt.Sprintf("this run could not have seen %s of %s%s. More rounds, or a longer -benchtime, could.",
			l, strings.Join(names, ", "), more))
	}
}

// hint says how a run that takes as long would show more. It is empty if none is known.
func (r benchResult) hint() string {
	if r.report == nil || r.report.Interrupted || r.settings.Budget > 0 || r.settings.Count >= enoughRounds ||
		r.comparison.Hidden() < smallChange {
		return ""
	}
	long, err := time.ParseDuration(cmp.Or(r.settings.Each.Benchtime, "1s"))
	if err != nil { // a number of iterations
		return ""
	}
	shorter := (long * time.Duration(r.settings.Count) / enoughRounds).Round(time.Millisecond)
	if shorter < shortest || r.comparison.Slowest() > shorter.Seconds() {
		return ""
	}
	return fmt.Sprintf("More rounds see more, even if they are shorter. -count %d -benchtime %v takes about as long.", enoughRounds, shorter)
}

// printRun says how it was measured, and where the raw results are.
func (r benchResult) printRun(out *ui.Screen) {
	fmt.Fprintln(out)
	text := count(len(r.report.Rounds), "round", "rounds") + ": " + r.report.Stopped + ". "
	if r.settings.Seed != 0 {
		text += fmt.Sprintf("The order is that of -shuffle %d. ", r.settings.Seed)
	}
	out.Paragraph("", text+r.disturbed())
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

// meanwhile returns what was seen of the machine while benchmarks ran, without what disturbed tells better.
func (r benchResult) meanwhile() []host.Finding {
	return slices.DeleteFunc(slices.Clone(r.report.During), func(f host.Finding) bool { return f.Name == "disturbed" })
}

// disturbed says how often others took what the benchmarks needed.
func (r benchResult) disturbed() string {
	n := len(r.report.Disturbed)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s disturbed by others on the machine, most of all %s. What was measured then is kept: to leave it out would make everything look faster than it is.",
		count(n, "process was", "processes were"), worstDisturbance(r.report.Disturbed))
}

// worstDisturbance describes the one that took most.
func worstDisturbance(all []bench.Disturbed) string {
	worst := all[0]
	taken := func(d bench.Disturbed) float64 {
		return d.Taken.Others + d.Taken.Stolen + d.Taken.Throttled.Seconds()/max(d.Taken.Wall.Seconds(), 1e-9)
	}
	for _, d := range all {
		if taken(d) > taken(worst) {
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
	add("build flags", strings.Join(set.BuildFlags, " "))
	add("pinned to CPUs", set.Pin)
	add("CPU frequency", set.Frequency)
	add("order", fmt.Sprintf("-shuffle %d", set.Seed))
	for _, v := range r.report.Versions {
		add("raw results", v.File)
	}
	for _, f := range r.report.Machine {
		p.Machine = append(p.Machine, chart.Fact{Name: f.Name, Value: f.Value, Meaning: f.Meaning, Warning: f.Level == host.Warning})
	}
	for _, f := range r.meanwhile() {
		p.Machine = append(p.Machine, chart.Fact{Name: f.Name + " meanwhile", Value: f.Value, Meaning: f.Meaning, Warning: f.Level == host.Warning})
	}
	p.Notes = r.report.Notes
	if text := r.disturbed(); text != "" {
		p.Notes = append(p.Notes, text)
	}
	return p.Save(name)
}
