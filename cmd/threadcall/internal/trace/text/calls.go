package text

import (
	"fmt"
	"path"
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
