// Package text writes a report on a trace to a terminal.
package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Write writes the report. Errors are in s.Err.
func Write(s *ui.Screen, r *report.Report) {
	t := text{s}
	t.opening(r)
	t.slow(r)
	t.verdict(r)
	t.path(r)
	t.memory(r)
	t.population(r)
	t.waiting(r)
	t.moves(r)
	t.locked(r)
	t.tasks(r)
	t.calls(r)
}

type text struct{ *ui.Screen }

func (t text) heading(text string) { t.Printf("\n%s\n\n", t.Bold(text)) }

// fact writes a paragraph with a name before it.
func (t text) fact(name, format string, args ...any) {
	t.Paragraph(fmt.Sprintf("  %-15s ", name), fmt.Sprintf(format, args...))
}

func (t text) opening(r *report.Report) {
	about := fmt.Sprintf("%s of trace in the format of %s, %s, %s", ui.Bytes(r.Trace.Bytes), r.Trace.Format,
		ui.Counted(r.Trace.Events, "event", "events"), ui.Duration(r.Trace.Duration))
	if r.Trace.GOMAXPROCS > 0 {
		about += fmt.Sprintf(", GOMAXPROCS %d", r.Trace.GOMAXPROCS)
	}
	t.Paragraph(t.Bold("threadcall trace")+"  ", ui.Plain(r.Trace.Name))
	t.Paragraph(strings.Repeat(" ", 18), about)
	for _, w := range r.Warnings {
		t.Paragraph(t.Red("warning")+"  ", ui.Plain(w))
	}
	t.Printf("\n")
	c := r.Table
	line := ui.Table{}
	line.Add("goroutines", "heap", "threads", "bgsweep", "stop-the-world")
	line.Add(ui.Count(c.Goroutines), ui.Bytes(c.Heap), ui.Count(c.Threads), ui.Duration(c.BgSweep), ui.Duration(c.STW))
	line.Write(t.Screen)
}

func (t text) memory(r *report.Report) {
	t.heading("Heap and collector")
	h, gc, stops := r.Heap, r.GC, r.Stops
	if len(h.Allocated.Points) == 0 {
		t.fact("heap", "The trace does not have its size.")
	} else {
		t.fact("heap", "first %s, last %s, peak %s", ui.Bytes(h.First), ui.Bytes(h.Last),
			ui.Bytes(h.Peak))
		growth := fmt.Sprintf("%s a minute from first to last", signed(h.Growth))
		if l := h.Lows; l != nil {
			growth += fmt.Sprintf("; %s ± %s a minute between collections (%d lows, first %s, last %s)", signed(l.Growth),
				ui.Bytes(2*l.Error), l.N, ui.Bytes(l.First), ui.Bytes(l.Last))
		}
		t.fact("growth", "%s", growth)
	}
	collections := ui.Count(gc.Cycles)
	if gc.Mark.N > 0 {
		collections += fmt.Sprintf(", marking for %s in all (median %s, longest %s)", ui.Duration(gc.Mark.Sum),
			ui.Duration(gc.Mark.P50), ui.Duration(gc.Mark.Max))
	}
	t.fact("collections", "%s", collections)
	if gc.Cycles > 0 {
		t.fact("collector", "workers ran %s, background sweeper %s; goroutines that allocate swept for %s",
			ui.Duration(gc.Workers), ui.Duration(gc.BgSweep), ui.Duration(gc.Sweep.Sum))
		t.fact("assists", "%s", assists(gc.Assisted, gc.Assist.N))
	}
	t.fact("stop-the-world", "%s, %s in all, longest %s", ui.Counted(stops.All.N, "time", "times"), ui.Duration(stops.All.Sum),
		ui.Duration(stops.All.Max))
	if len(stops.Reasons) > 0 {
		reasons := ui.Table{Left: 1}
		reasons.Add("stopped for", "times", "in all", "median", "longest")
		for _, s := range stops.Reasons {
			reason := s.Reason
			if s.Own {
				reason += " (not counted above)"
			}
			reasons.Add(reason, ui.Count(s.Times.N), ui.Duration(s.Times.Sum), ui.Duration(s.Times.P50), ui.Duration(s.Times.Max))
		}
		t.Printf("\n")
		reasons.Write(t.Screen)
	}
}

// signed formats a number of bytes with its sign.
func signed(n float64) string {
	if n > 0 {
		return "+" + ui.Bytes(n)
	}
	return ui.Bytes(n)
}

func (t text) population(r *report.Report) {
	t.heading("Goroutines and threads")
	g := r.Goroutines
	t.fact("goroutines", "first %s, last %s (%s of them the runtime's), peak %s; %s began, %s ended", ui.Count(g.First),
		ui.Count(g.Last), ui.Count(g.System), ui.Count(g.Peak), ui.Count(g.Created), ui.Count(g.Ended))
	t.fact("threads", "%s ran goroutines, at most %s at a time", ui.Counted(r.Threads.Total, "thread", "threads"), ui.Count(r.Threads.Peak))
	if len(r.Functions) == 0 {
		return
	}
	t.Printf("\n")
	list := ui.Table{Left: 1}
	list.Add("goroutines of", "number", "ran", "ready", "syscall", "moves")
	for _, f := range r.Functions[:min(len(r.Functions), report.Shown)] {
		list.Add(symbol.Short(f.Name), ui.Count(f.Goroutines), ui.Duration(f.Running), ui.Duration(f.Runnable),
			ui.Duration(f.Syscall), ui.Count(f.Moves))
	}
	list.Write(t.Screen)
}

func (t text) moves(r *report.Report) {
	t.heading("From thread to thread")
	a := r.Affinity
	if a.Moves == 0 {
		t.fact("moves", "none; %s ran, each on one thread", ui.Counted(a.Goroutines, "goroutine", "goroutines"))
		return
	}
	t.fact("moves", "%s, which is %s of %s of %s", ui.Count(a.Moves), ui.Share(a.Moves, a.Executions),
		ui.Counted(a.Executions, "execution", "executions"), ui.Counted(a.Goroutines, "goroutine", "goroutines"))
	t.fact("why", "%s", shares(a.Why, a.Moves))
	t.fact("how", "%s", shares(a.Via, a.Moves))
	t.fact("a goroutine", "moved %s (median), %.0f (90 %%), %.0f (most); it was on %.0f, %.0f and %s",
		ui.Counted(a.Per.P50, "time", "times"), a.Per.P90, a.Per.Max, a.On.P50, a.On.P90,
		ui.Counted(a.On.Max, "thread", "threads"))
	t.Printf("\n")
	top := ui.Table{Left: 2}
	top.Add("goroutine", "function", "moves", "executions", "threads", "most for")
	for _, m := range a.Top {
		top.Add(fmt.Sprint(m.Goroutine), symbol.Short(m.Function), ui.Count(m.Moves), ui.Count(m.Executions), ui.Count(m.Threads),
			shares(m.Why[:1], m.Moves))
	}
	top.Write(t.Screen)
}

// shares formats counts as shares of a whole.
func shares(counts []report.Count, whole uint64) string {
	var parts []string
	for _, c := range counts {
		parts = append(parts, c.Name+" "+ui.Share(c.N, whole))
	}
	return strings.Join(parts, ", ")
}

func (t text) locked(r *report.Report) {
	if len(r.Locked) == 0 {
		return
	}
	t.heading("Locked threads")
	threads := ui.Table{Left: 2}
	threads.Add("thread", "goroutine of", "ran", "syscall", "idle", "calls", "serving")
	for _, l := range r.Locked[:min(len(r.Locked), report.Shown)] {
		calls, serving := "-", "-"
		if l.Evidence == report.ServesCalls {
			calls, serving = ui.Count(l.Calls), ui.Duration(l.Serving)
		}
		threads.Add(fmt.Sprint(l.Thread), symbol.Short(l.Function), ui.Duration(l.Running), ui.Duration(l.Syscall),
			ui.Duration(l.Idle), calls, serving)
	}
	threads.Write(t.Screen)
	if more := len(r.Locked) - report.Shown; more > 0 {
		t.Printf("  and %d more\n", more)
	}
	if slices.ContainsFunc(r.Locked, func(l report.LockedThread) bool { return l.Evidence == report.HandedOver }) {
		t.Printf("\n")
		t.Paragraph("  ", "Threads without calls are taken for locked because other threads handed them a P each time.")
	}
}
