package text

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

func (t text) calls(r *report.Report) {
	c := r.Calls
	if c.Total+c.Unfinished+c.NotRun == 0 {
		return
	}
	t.heading("Calls to threads")
	total := ui.Count(c.Total)
	for _, more := range []struct {
		n    uint64
		what string
	}{
		{c.InPlace, "of them in place"}, {c.Unfinished, "more without their begin or end"}, {c.NotRun, "refused or withdrawn"},
	} {
		if more.n > 0 {
			total += fmt.Sprintf(", %s %s", ui.Count(more.n), more.what)
		}
	}
	t.fact("calls", "%s", total)
	if c.Total == 0 {
		return
	}
	t.Printf("\n")
	places := ui.Table{Left: 1}
	places.Add("", "calls", "queued", "99 %", "longest", "ran", "99 %", "longest")
	for _, p := range c.Places[:min(len(c.Places), report.Shown)] {
		places.Title(p.Kind + "  " + ui.Tail(name(p.Frame), max(20, t.Width-14)))
		places.Add("", ui.Count(p.N), ui.Duration(p.Queued.P50), ui.Duration(p.Queued.P99), ui.Duration(p.Queued.Max),
			ui.Duration(p.Run.P50), ui.Duration(p.Run.P99), ui.Duration(p.Run.Max))
	}
	places.Write(t.Screen)
	if more := len(c.Places) - report.Shown; more > 0 {
		t.Printf("  and %s\n", ui.Counted(more, "more place", "more places"))
	}
	t.Printf("\n")
	t.Paragraph("  ", "Queued is the median time from the call to the begin of the function, ran is the median time of the "+
		"function. The longest calls:")
	t.Printf("\n")
	for i, w := range c.Worst {
		t.worst(i+1, w)
	}
}

func (t text) worst(n int, c report.Call) {
	t.Paragraph(fmt.Sprintf("  %2d  ", n), fmt.Sprintf("%s: %s of goroutine %d at %s, queued %s, ran %s on thread %d, "+
		"returned after %s", ui.Duration(c.Total()), c.Kind, c.Goroutine, ui.Duration(c.At), ui.Duration(c.Queued),
		ui.Duration(c.Run), c.Thread, ui.Duration(c.Return)))
	t.stack("called by", c.From)
	if c.Stopped != nil {
		t.stack(fmt.Sprintf("stopped for %s (%s)", ui.Duration(c.Stopped.Time), c.Stopped.Reason), c.On)
	}
}

// slow writes the calls that were reported as slow, the last first, because a trace that was written for a slow call ends with it.
func (t text) slow(r *report.Report) {
	if len(r.Calls.Slow) == 0 {
		return
	}
	t.heading("Slow calls")
	for i, s := range slices.Backward(r.Calls.Slow) {
		what := "a function"
		if s.Kind != "" {
			what = fmt.Sprintf("%s of goroutine %d", s.Kind, s.Goroutine)
		}
		text := fmt.Sprintf("slow call at %s into the trace: %s had run for %s on thread %d when it was reported at %s", ui.Duration(s.Begin()),
			what, ui.Duration(s.Running), s.Thread, ui.Duration(s.At))
		if s.Queued >= 0 {
			text += fmt.Sprintf(", and had been queued for %s before", ui.Duration(s.Queued))
		}
		t.Paragraph(fmt.Sprintf("  %2d  ", len(r.Calls.Slow)-i), text)
		t.stack("called by", s.From)
		if s.Waits != "" {
			t.stack(fmt.Sprintf("waited for %s (%s)", ui.Duration(s.Waited), s.Waits), s.On)
		} else {
			t.stack("function", s.On)
		}
	}
}

// stack writes the innermost four frames of the program.
func (t text) stack(title string, frames []report.Frame) {
	n := 0
	for _, f := range frames {
		if f.Own() || strings.HasPrefix(f.Func, "runtime.") || n == 4 {
			continue
		}
		if n++; n == 1 {
			t.Printf("      %s\n", t.Faint(title))
		}
		t.Printf("        %s\n", ui.Tail(name(f), max(20, t.Width-8)))
	}
}

func name(f report.Frame) string {
	switch {
	case f.Func == "?":
		return "-"
	case f.File == "":
		return symbol.Short(f.Func)
	}
	return fmt.Sprintf("%s %s:%d", symbol.Short(f.Func), path.Base(strings.ReplaceAll(f.File, `\`, "/")), f.Line)
}
