package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

// A benchResult is what is to be shown, of a run or of files.
type benchResult struct {
	report     *bench.Report // nil: of files
	comparison *stats.Comparison
	settings   *bench.Settings
	breaches   []bench.Breach
	blind      []bench.Blind
}

// present shows the result in each way that was asked for. The error, if any, is what is wrong with it; it and what is
// wrong with showing it become the failure of the command.
func (f *benchFlags) present(r benchResult, err error, out *screen.Screen, stdout io.Writer) error {
	errs := []error{err}
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
		return writeDocument(w, r.report)
	}
	return writeDocument(w, struct {
		Comparison *stats.Comparison `json:"comparison"`
		Breaches   []bench.Breach    `json:"breaches"`
		Blind      []bench.Blind     `json:"blind"`
	}{r.comparison, r.breaches, r.blind})
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
	table.Write(out, r.comparison)
	if r.settings.AA {
		r.printSmallest(out)
	}
	r.printBlind(out)
	if r.report != nil {
		r.printRun(out)
	}
}

// printSmallest says what a comparison of a binary with itself is for.
func (r benchResult) printSmallest(out *screen.Screen) {
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
func (r benchResult) printBlind(out *screen.Screen) {
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

// printRun says how it was measured, and where the raw results are.
func (r benchResult) printRun(out *screen.Screen) {
	fmt.Fprintln(out)
	processes := 0
	for _, round := range r.report.Rounds {
		processes += round.Processes
	}
	text := count(len(r.report.Rounds), "round", "rounds") + ": " + r.report.Stopped + ". "
	if r.settings.Seed != 0 {
		text += fmt.Sprintf("The order is that of -shuffle %d. ", r.settings.Seed)
	}
	if n := len(r.report.Disturbed); n > 0 {
		text += fmt.Sprintf("%d of %d processes were disturbed by others on the machine, most of all %s. Their results are kept: to leave them out would make everything look faster than it is. ",
			n, processes, worstDisturbance(r.report.Disturbed))
	}
	out.Paragraph("", text)
	var files []string
	for _, v := range r.report.Versions {
		files = append(files, v.File)
	}
	out.Paragraph("", "Raw results: "+strings.Join(files, " "))
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
	return errors.New("not yet")
}
