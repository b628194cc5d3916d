package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Result is what is to be shown, of a run or of files.
type Result struct {
	Report     *Report // nil: of files
	Comparison *stats.Comparison
	Settings   *Settings
	Ratios     []string // the versions to which one table has the ratios; nil: a table for each unit
	Breaches   []Case
	Undecided  []Case
}

// Document returns what is to be written as JSON.
func (r Result) Document() any {
	if r.Report != nil {
		return r.Report
	}
	return struct {
		Comparison *stats.Comparison `json:"comparison"`
		Breaches   []Case            `json:"breaches"`
		Undecided  []Case            `json:"undecided"`
	}{r.Comparison, r.Breaches, r.Undecided}
}

// Print writes the result for people.
func (r Result) Print(out *ui.Screen) {
	if r.Report != nil {
		width := 0
		for _, v := range r.Report.Versions {
			width = max(width, len(v.Name))
		}
		for _, v := range r.Report.Versions {
			if len(r.Report.Versions) > 1 {
				out.Paragraph(out.Bold(fmt.Sprintf("%-*s ", width, v.Name)), v.What)
			}
		}
		if len(r.Report.Versions) > 1 {
			fmt.Fprintln(out)
		}
	}
	if len(r.Ratios) > 0 {
		r.printRatios(out)
	} else {
		for _, c := range r.pairs() {
			table.Write(out, c)
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

// pairs returns what is to be shown one after the other.
func (r Result) pairs() []*stats.Comparison {
	if r.Report == nil {
		return []*stats.Comparison{r.Comparison}
	}
	return r.Report.pairs()
}

func (r *Report) pairs() []*stats.Comparison {
	if len(r.Against) > 0 {
		return r.Against
	}
	return []*stats.Comparison{r.Comparison}
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
		out.Paragraph("", fmt.Sprintf("The minimum detectable effect is not known: that takes at least %d rounds.", stats.Rounds()))
		return
	}
	out.Paragraph("", out.Bold("Minimum detectable effect on the time")+
		fmt.Sprintf(" in such a run: %s for the median benchmark, %s for the noisiest.", stats.Percent(middle), stats.Percent(worst)))
}

// printUndecided warns of rows on which -fail-on could not decide.
func (r Result) printUndecided(out *ui.Screen) {
	undecided := r.Undecided
	if r.Report != nil {
		undecided = r.Report.Undecided
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
func (r Result) printRun(out *ui.Screen) {
	fmt.Fprintln(out)
	text := ui.Counted(len(r.Report.Rounds), "round", "rounds") + ": " + r.Report.Stopped + ". "
	out.Paragraph("", text+r.noisy())
	if seen := r.meanwhile(); len(seen) > 0 {
		fmt.Fprintln(out)
		writeFindings(out, "The machine meanwhile", seen)
		fmt.Fprintln(out)
	}
	var files []string
	for _, v := range r.Report.Versions {
		files = append(files, v.File)
	}
	out.Paragraph("", "Raw results: "+strings.Join(files, " "))
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
func noisiest(all []Noisy) string {
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
	p := chart.Report{Title: strings.Join(r.Comparison.Versions, " and "), Comparison: r.Comparison}
	if r.Report == nil {
		return p.Save(name)
	}
	p.Against = r.Report.Against
	p.Title = "Benchmarks of " + r.Report.Began.Format("2 January 2006, 15:04")
	add := func(name, value string) {
		if value != "" {
			p.Settings = append(p.Settings, chart.Fact{Name: name, Value: value})
		}
	}
	for _, v := range r.Report.Versions {
		add(v.Name, v.What)
	}
	set := r.Report.Settings
	add("command", r.Report.Command)
	add("Go", r.Report.Toolchain)
	add("rounds", fmt.Sprintf("%d: %s", len(r.Report.Rounds), r.Report.Stopped))
	add("benchtime", set.Benchtime)
	add("CPU frequency", set.Frequency)
	for _, v := range r.Report.Versions {
		add("raw results", v.File)
	}
	p.Machine = slices.Clone(r.Report.Machine)
	for _, f := range r.meanwhile() {
		f.Name += " meanwhile"
		p.Machine = append(p.Machine, f)
	}
	p.Notes = r.Report.Notes
	if text := r.noisy(); text != "" {
		p.Notes = append(p.Notes, text)
	}
	return p.Save(name)
}
