package present

import (
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Title names what was measured: the module, and what it was compared with.
func (r Result) Title() string {
	if r.Report == nil {
		return strings.Join(r.Comparison.Versions, " → ")
	}
	title := ""
	if len(r.Report.Versions) > 1 {
		all := names(r.Report)
		title = strings.Join(all, " → ")
		if last := len(all) - 1; len(r.Report.Against) > 0 {
			title = strings.Join(all[:last], ", ") + " → " + all[last]
		}
	}
	switch {
	case r.Report.Module == "" && title == "":
		return "Benchmarks"
	case r.Report.Module == "" || title == "":
		return r.Report.Module + title
	}
	return r.Report.Module + ": " + title
}

// names are short ones of the versions.
func names(r *judge.Report) (names []string) {
	for _, v := range r.Versions {
		names = append(names, v.Short())
	}
	return names
}

// Facts returns the lines that say what was compared and how: a name and a value for each.
func (r Result) Facts() (facts [][2]string) {
	if r.Report == nil {
		return nil
	}
	for _, v := range r.Report.Versions {
		facts = append(facts, [2]string{v.Name, v.What})
	}
	return append(facts, [2]string{"run", r.run()})
}

// run reports how much was measured, and on what machine.
func (r Result) run() string {
	each := r.Report.Settings.Benchtime
	if d, err := time.ParseDuration(each); err == nil {
		each = ui.Duration(d)
	}
	text := ui.Counted(len(r.Report.Rounds), "round", "rounds")
	if each != "" {
		text += " of " + each
	}
	text += " in " + ui.Took(time.Duration(r.Report.Seconds*float64(time.Second)))
	if len(r.Report.Rounds) < r.Report.Settings.Count {
		text += ", " + r.Report.Stopped
	}
	return text + fmt.Sprintf("; machine: %s", r.Report.Load)
}
