package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// modules returns the modules that the packages are of.
func modules(ctx context.Context, tree gotest.Tree, patterns []string) string {
	out, err := tree.Go(ctx, slices.Concat([]string{"list", "-e", "-f", "{{with .Module}}{{.Path}}{{end}}"}, tree.Flags, []string{"--"}, patterns)...)
	if err != nil {
		return ""
	}
	all := strings.Fields(string(out))
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// The words for how busy the machine was while benchmarks ran.
const (
	Quiet   = "quiet"   // at most a twentieth of the processes were noisy
	Shared  = "noisy"   // more
	Loaded  = "loaded"  // more than half
	Unknown = "unknown" // the system does not report it
)

// load returns the word for the machine during the run.
func (r *Report) load() string {
	processes := 0
	for _, round := range r.Rounds {
		processes += round.Processes
	}
	unknown := func(f machine.Finding) bool { return f.Name == "noisy" && f.Value == "not known" }
	switch n := len(r.Noisy); {
	case processes == 0 || slices.ContainsFunc(r.During, unknown):
		return Unknown
	case 2*n > processes:
		return Loaded
	case 20*n > processes:
		return Shared
	}
	return Quiet
}

// Title names what was measured: the module, and what it was compared with.
func (r Result) Title() string {
	if r.Report == nil {
		return strings.Join(r.Comparison.Versions, " → ")
	}
	names := ""
	if len(r.Report.Versions) > 1 {
		all := r.Report.names()
		names = strings.Join(all, " → ")
		if last := len(all) - 1; len(r.Report.Against) > 0 {
			names = strings.Join(all[:last], ", ") + " → " + all[last]
		}
	}
	switch {
	case r.Report.Module == "" && names == "":
		return "Benchmarks"
	case r.Report.Module == "" || names == "":
		return r.Report.Module + names
	}
	return r.Report.Module + ": " + names
}

// names are short ones of the versions.
func (r *Report) names() (names []string) {
	for _, v := range r.Versions {
		names = append(names, v.short())
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
	text += " in " + Took(time.Duration(r.Report.Seconds*float64(time.Second)))
	if len(r.Report.Rounds) < r.Report.Settings.Count {
		text += ", " + r.Report.Stopped
	}
	return text + fmt.Sprintf("; machine: %s", r.Report.Load)
}

// Took returns a duration as people say it: 3 min 20 s.
func Took(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	switch {
	case d < 10*time.Second && d%time.Second != 0:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600 && (s%60 == 0 || s > 1800):
		return fmt.Sprintf("%d min", (s+30)/60)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}
