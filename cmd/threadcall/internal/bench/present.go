package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/host"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

const (
	enoughRounds = 20   // from which on the test by signs misses little
	smallChange  = 0.02 // one that few people look for

	shortest = 20 * time.Millisecond // a round that others on the machine do not interrupt as a whole
)

// A Result is what is to be shown, of a run or of files.
type Result struct {
	Report     *Report // nil: of files
	Comparison *stats.Comparison
	Settings   *Settings
	Ratios     []string // the versions to which one table has the ratios; nil: a table for each unit
	Breaches   []Breach
	Blind      []Blind
}

// Document returns what is to be written as JSON.
func (r Result) Document() any {
	if r.Report != nil {
		return r.Report
	}
	return struct {
		Comparison *stats.Comparison `json:"comparison"`
		Breaches   []Breach          `json:"breaches"`
		Blind      []Blind           `json:"blind"`
	}{r.Comparison, r.Breaches, r.Blind}
}

// Print writes the result for people.
func (r Result) Print(out *screen.Screen) {
	if r.Report != nil {
		for _, v := range r.Report.Versions {
			if len(r.Report.Versions) > 1 {
				out.Paragraph(out.Bold(fmt.Sprintf("%-4s", v.Name)), v.What)
			}
		}
		if len(r.Report.Versions) > 1 {
			fmt.Fprintln(out)
		}
	}
	if len(r.Ratios) > 0 {
		r.printRatios(out)
	} else {
		table.Write(out, r.Comparison)
	}
	if r.Settings.AA {
		r.printSmallest(out)
	}
	r.printBlind(out)
	if hint := r.hint(); hint != "" {
		fmt.Fprintln(out)
		out.Paragraph("", hint)
	}
	if r.Report != nil {
		r.printRun(out)
	}
}

// printRatios writes the table that -ratios asks for. A version that it names need not be there: a run of some benchmarks
// may have no results of it.
func (r Result) printRatios(out *screen.Screen) {
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

// printSmallest says what a comparison of a binary with itself is for.
func (r Result) printSmallest(out *screen.Screen) {
	fmt.Fprintln(out)
	middle, worst, ok := r.Comparison.Smallest()
	if !ok {
		out.Paragraph("", fmt.Sprintf("No minimum detectable effect: that needs at least %d rounds.", stats.Rounds(r.Comparison.Confidence)))
		return
	}
	out.Paragraph("", out.Bold("Minimum detectable effect on the time in such a run")+
		fmt.Sprintf(": %s for the median benchmark, %s for the noisiest.", stats.Percent(middle), stats.Percent(worst)))
}

// printBlind warns of limits of -fail-on below the minimum detectable effect.
func (r Result) printBlind(out *screen.Screen) {
	blind := r.Blind
	if r.Report != nil {
		blind = r.Report.Blind
	}
	byLimit := map[string][]string{}
	var limits []string
	for _, b := range blind {
		if byLimit[b.Limit] == nil {
			limits = append(limits, b.Limit)
		}
		text := b.Benchmark + " in " + b.Unit
		if b.Smallest > 0 {
			text += " (minimum detectable effect " + stats.Percent(b.Smallest) + ")"
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
		out.Paragraph(out.Red("Warning")+": ", fmt.Sprintf("this run cannot detect %s of %s%s. More rounds, or a longer -benchtime, can.",
			l, strings.Join(names, ", "), more))
	}
}

// hint says how a run that takes as long would show more. It is empty if none is known.
func (r Result) hint() string {
	if r.Report == nil || r.Report.Interrupted || r.Settings.Budget > 0 || r.Settings.Count >= enoughRounds ||
		r.Comparison.Hidden() < smallChange {
		return ""
	}
	long, err := time.ParseDuration(cmp.Or(r.Settings.Each.Benchtime, "1s"))
	if err != nil { // a number of iterations
		return ""
	}
	shorter := (long * time.Duration(r.Settings.Count) / enoughRounds).Round(time.Millisecond)
	if shorter < shortest || r.Comparison.Slowest() > shorter.Seconds() {
		return ""
	}
	return fmt.Sprintf("More rounds detect smaller changes, even if they are shorter. -count %d -benchtime %v takes about as long.", enoughRounds, shorter)
}

// printRun says how it was measured, and where the raw results are.
func (r Result) printRun(out *screen.Screen) {
	fmt.Fprintln(out)
	text := count(len(r.Report.Rounds), "round", "rounds") + ": " + r.Report.Stopped + ". "
	if r.Settings.Seed != 0 {
		text += fmt.Sprintf("The order is that of -shuffle %d. ", r.Settings.Seed)
	}
	out.Paragraph("", text+r.disturbed())
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

// meanwhile returns what was seen of the machine while benchmarks ran, without what disturbed tells better.
func (r Result) meanwhile() []host.Finding {
	return slices.DeleteFunc(slices.Clone(r.Report.During), func(f host.Finding) bool { return f.Name == "disturbed" })
}

// disturbed describes how often background load took what the benchmarks needed.
func (r Result) disturbed() string {
	n := len(r.Report.Disturbed)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s noisy because of background load, most of all %s. The results are kept: without them everything would look faster than it is.",
		count(n, "process was", "processes were"), worstDisturbance(r.Report.Disturbed))
}

// worstDisturbance describes the one that took most.
func worstDisturbance(all []Disturbed) string {
	worst := all[0]
	taken := func(d Disturbed) float64 {
		return d.Taken.Others + d.Taken.Stolen + d.Taken.Throttled.Seconds()/max(d.Taken.Wall.Seconds(), 1e-9)
	}
	for _, d := range all {
		if taken(d) > taken(worst) {
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
	add("build flags", strings.Join(set.BuildFlags, " "))
	add("pinned to CPUs", set.Pin)
	add("CPU frequency", set.Frequency)
	add("order", fmt.Sprintf("-shuffle %d", set.Seed))
	for _, v := range r.Report.Versions {
		add("raw results", v.File)
	}
	for _, f := range r.Report.Machine {
		p.Machine = append(p.Machine, chart.Fact{Name: f.Name, Value: f.Value, Meaning: f.Meaning, Warning: f.Level == host.Warning})
	}
	for _, f := range r.meanwhile() {
		p.Machine = append(p.Machine, chart.Fact{Name: f.Name + " meanwhile", Value: f.Value, Meaning: f.Meaning, Warning: f.Level == host.Warning})
	}
	p.Notes = r.Report.Notes
	if text := r.disturbed(); text != "" {
		p.Notes = append(p.Notes, text)
	}
	return p.Save(name)
}
