package text

import (
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// WriteLook writes the report on a part of a trace, below what r says about the trace itself.
func WriteLook(s *ui.Screen, r *report.Report, l *report.Look) {
	t := text{s}
	t.opening(r)
	t.heading(fmt.Sprintf("From %s to %s", ui.Duration(l.From), ui.Duration(l.To)))
	t.fact("goroutines", "%s", ui.Count(uint64(l.Of)))
	if l.Place != "" {
		t.fact("place", "%s", l.Place)
	}
	t.Printf("\n")
	states := ui.Table{Left: 2}
	states.Add("state", "place", "times", "in all", "most")
	for _, v := range l.States[:min(len(l.States), 2*report.Shown)] {
		states.Add(stateName(v.State, v.Reason), where(v.Place), ui.Count(v.N), ui.Duration(v.Time), ui.Duration(v.Max))
	}
	states.Write(t.Screen)
	if len(l.Goroutines) > 0 {
		t.Printf("\n")
		list := ui.Table{Left: 2}
		list.Add("goroutine", "function", "ran", "ready", "syscall", "waited")
		for _, g := range l.Goroutines[:min(len(l.Goroutines), report.Shown)] {
			list.Add(fmt.Sprint(g.ID), symbol.Short(g.Function), ui.Duration(g.Running), ui.Duration(g.Runnable), ui.Duration(g.Syscall),
				ui.Duration(g.Waiting))
		}
		list.Write(t.Screen)
	}
	if len(l.Threads) > 0 {
		t.Printf("\n")
		list := ui.Table{Left: 2}
		list.Add("thread", "name", "ran", "syscall")
		for _, th := range l.Threads[:min(len(l.Threads), report.Shown)] {
			list.Add(fmt.Sprint(th.ID), th.Name, ui.Duration(th.Running), ui.Duration(th.Syscall))
		}
		list.Write(t.Screen)
	}
	if len(l.Course) > 0 {
		t.heading(fmt.Sprintf("Goroutine %d", l.Course[0].Goroutine))
		t.intervals(l.Course)
		if l.CourseMore > 0 {
			t.Printf("  and %s more; -from and -to choose others\n", ui.Count(uint64(l.CourseMore)))
		}
	} else if len(l.Longest) > 0 {
		t.heading("Longest without running")
		t.intervals(l.Longest[:min(len(l.Longest), 2*report.Shown)])
	}
	t.users("Tasks", l.Tasks)
	t.users("Regions", l.Regions)
	t.logs(l)
}

func stateName(state, reason string) string {
	if reason == "" {
		return state
	}
	return state + ", " + reason
}

func where(f report.Frame) string {
	if f.Func == "" {
		return ""
	}
	return fmt.Sprintf("%s %s:%d", symbol.Short(f.Func), ui.Path(f.File, ""), f.Line)
}

func (t text) intervals(list []report.LookInterval) {
	table := ui.Table{Left: 3}
	table.Add("goroutine", "state", "place", "at", "for", "ended by")
	for _, v := range list {
		by := ""
		if v.By >= 0 {
			by = fmt.Sprintf("G%d %s", v.By, where(v.ByPlace))
		}
		table.Add(fmt.Sprint(v.Goroutine), stateName(v.State, v.Reason), where(v.Place), ui.Duration(v.At), ui.Duration(v.Length), by)
	}
	table.Write(t.Screen)
}

func (t text) users(heading string, list []report.LookUser) {
	if len(list) == 0 {
		return
	}
	t.heading(heading)
	table := ui.Table{Left: 1}
	table.Add("type", "number", "in all", "median", "99 %", "most")
	for _, u := range list[:min(len(list), report.Shown)] {
		d := u.Times
		table.Add(u.Type, ui.Count(d.N), ui.Duration(d.Sum), ui.Duration(d.P50), ui.Duration(d.P99), ui.Duration(d.Max))
	}
	table.Write(t.Screen)
}

func (t text) logs(l *report.Look) {
	if len(l.Logs) == 0 {
		return
	}
	t.heading("Logs")
	for _, v := range l.Logs[:min(len(l.Logs), 2*report.Shown)] {
		from := ""
		if v.Goroutine >= 0 {
			from = fmt.Sprintf("G%d", v.Goroutine)
		}
		t.Paragraph(fmt.Sprintf("  %-10s %-8s ", ui.Duration(v.At), from), v.Category+": "+v.Message)
	}
	if more := len(l.Logs) - 2*report.Shown + l.LogsMore; more > 0 {
		t.Printf("  and %s more\n", ui.Count(uint64(more)))
	}
}
