// Package present shows what was measured: as text, Markdown, or JSON.
package present

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Result is what is to be shown, of a run or of files.
type Result struct {
	judge.Compared
	Report   *judge.Report // nil: of files
	Settings *plan.Settings
}

// Document returns what is to be written as JSON: a Report or a Compared.
func (r Result) Document() any {
	if r.Report != nil {
		return r.Report
	}
	return r.Compared
}

// failures returns a name and the reason of each benchmark that failed.
func (r Result) failures() (failures [][2]string) {
	for _, f := range r.Comparison.Failures {
		name := strings.TrimPrefix(f.Package+"."+f.Name, ".")
		if len(r.Comparison.Versions) > 1 {
			name += " (" + f.Version + ")"
		}
		failures = append(failures, [2]string{name, f.Reason})
	}
	return failures
}

// title names what was measured: the module, and what it was compared with.
func (r Result) title() string {
	if r.Report == nil {
		return strings.Join(r.Comparison.Versions, " → ")
	}
	title := r.Report.Module
	if len(r.Report.Versions) > 1 {
		var all []string
		for _, v := range r.Report.Versions {
			all = append(all, v.Short())
		}
		title = strings.TrimPrefix(title+": "+strings.Join(all, " → "), ": ")
	}
	if title == "" {
		return "Benchmarks"
	}
	return title
}

// facts returns the lines that say what was compared and how: a name and a value for each.
func (r Result) facts() (facts [][2]string) {
	if r.Report == nil {
		return nil
	}
	for _, v := range r.Report.Versions {
		facts = append(facts, [2]string{v.Name, v.What})
	}
	if r.Report.Load == "" { // there was nothing to measure
		return facts
	}
	each := r.Report.Settings.Benchtime
	if d, err := time.ParseDuration(each); err == nil {
		each = ui.Duration(d)
	}
	run := ui.Counted(r.Report.Rounds, "round", "rounds")
	if each != "" {
		run += " of " + each
	}
	run += " in " + ui.Duration(r.Report.Seconds*1e9)
	if r.Report.Rounds < r.Report.Settings.Count {
		run += ", " + r.Report.Stopped
	}
	return append(facts, [2]string{"run", run + "; machine: " + r.Report.Load})
}

// undecided returns a sentence for each limit on which some rows could not decide.
func (r Result) undecided() (sentences []string) {
	byLimit := map[string][]string{}
	for _, b := range r.Undecided {
		byLimit[b.Limit] = append(byLimit[b.Limit], b.Benchmark+" in "+b.Unit)
	}
	for _, l := range slices.Sorted(maps.Keys(byLimit)) {
		sentences = append(sentences, fmt.Sprintf("inconclusive: %s is below the minimum "+
			"detectable effect of %s. Use more rounds, or a longer -benchtime.", l,
			ui.Some(byLimit[l], 6)))
	}
	return sentences
}
