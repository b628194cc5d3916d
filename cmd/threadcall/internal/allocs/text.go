package allocs

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// A Text writes the report to a terminal.
type Text struct {
	*ui.Screen
	Stacks bool   // with the stacks of each row
	Dir    string // paths of files are relative to it
}

// Report writes everything.
func (t Text) Report(r *alloc.Report) {
	if r.Budget != nil {
		t.failures(r.Failures)
		t.budget(r.Budget)
		return
	}
	var nothing []string // benchmarks of which no row is shown
	for i := range r.Runs {
		if run := &r.Runs[i]; len(r.Runs) > 1 && len(run.Rows) == 0 {
			nothing = append(nothing, run.Name)
		} else {
			t.run(run)
		}
	}
	if nothing != nil {
		t.Paragraph(t.Bold("Nothing an operation")+"  ", strings.Join(nothing, " "))
	}
	t.failures(r.Failures)
}

// failures writes what did not run.
func (t Text) failures(failures []report.Failure) {
	for _, f := range failures {
		t.Paragraph(t.Red("FAILED")+" ", f.Of()+": "+f.Reason)
	}
}

func (t Text) run(r *alloc.Run) {
	t.Printf("%s  %s\n", t.Bold(r.Name), t.Faint(r.Package))
	t.Paragraph("", fmt.Sprintf("%s an operation: the difference of %d and %d operations.", r.Total,
		r.Operations[0], r.Operations[1]))
	if len(r.Rows) > 0 {
		t.Printf("\n")
		t.line("bytes/op", "objs/op", "where")
	}
	for _, row := range r.Rows {
		t.row(row)
	}
	t.Printf("\n")
}

// line writes numbers and a place.
func (t Text) line(bytes, objects, where string) {
	t.Printf("%9s %9s  %s\n", bytes, objects, where)
}

func (t Text) row(r alloc.Row) {
	const margin = 21 // the width of the columns before the place
	where := t.at(r.Where.Position) + symbol.Short(r.Where.Function)
	if r.Site != r.Where {
		where += " ← " + symbol.Short(r.Site.Function)
	}
	t.line(ui.Number(r.Amount.Bytes), ui.Number(r.Amount.Objects), t.fit(where, margin))
	under := strings.Repeat(" ", margin+1)
	t.Paragraph(under, t.Faint(r.Kind+":")+" "+r.Why)
	if !t.Stacks {
		return
	}
	for _, s := range r.Stacks {
		t.Printf("%s%s %s\n", under, ui.Number(s.Amount.Objects), t.Faint("objects by"))
		for _, f := range s.Frames {
			frame := symbol.Short(f.Function) + " " + f.Position.String()
			t.Printf("%s  %s\n", under, t.fit(frame, margin+3))
		}
	}
}

// fit shortens text to what is left of a line after a margin.
func (t Text) fit(text string, margin int) string { return ui.Head(text, max(2, t.Width-margin-1)) }

// at is a line of a file, with a path relative to the directory.
func (t Text) at(p report.Position) string {
	return fmt.Sprintf("%s:%d ", ui.Path(p.File, t.Dir), p.Line)
}

// budget writes which promises are kept, and how the others are broken.
func (t Text) budget(c *alloc.Budget) {
	if len(c.Functions) == 0 {
		t.Paragraph("", "No doc comment has the line //threadcall:noalloc, so there is nothing to check.")
		return
	}
	kept := 0
	for _, f := range c.Functions {
		name := t.at(f.Position) + f.Name
		switch {
		case len(f.Broken) > 0:
			t.Paragraph(t.Red("BROKEN")+" ", name)
			for _, p := range f.Broken {
				text := t.at(p.Position) + p.Reason
				if p.Run != "" {
					text += ", in " + p.Run
				}
				t.Paragraph("       ", text)
			}
		case !f.Reached:
			t.Paragraph(t.Red("NEVER RUN")+" ", name+": no benchmark that passed calls it")
		default:
			kept++
			t.Paragraph(t.Green("ok")+" ", name+t.asRun(f))
		}
	}
	for _, e := range c.Excuses {
		text := t.at(e.Position) + e.Reason
		if !e.Used {
			text += " (neither the compiled code nor a benchmark shows an allocation)"
		}
		t.Paragraph(t.Faint("excused")+" ", text)
	}
	t.Paragraph("", fmt.Sprintf("%d of %d functions keep their promise not to allocate, by their "+
		"compiled code and in %s.", kept, len(c.Functions),
		ui.Counted(len(c.Runs), "benchmark", "benchmarks")))
}

// asRun describes what may allocate and did not in the benchmarks.
func (t Text) asRun(f *alloc.Function) string {
	var parts []string
	for _, n := range f.Notes {
		parts = append(parts, n.Reason+" at "+n.Position.String())
	}
	if f.Calls != nil {
		parts = append(parts, "calls "+strings.Join(f.Calls, ", "))
	}
	if parts == nil {
		return ""
	}
	if n := len(parts) - 3; n > 0 && !t.Stacks {
		parts = append(parts[:3], fmt.Sprintf("and %d more (-stacks shows all)", n))
	}
	return t.Faint(", as run: " + strings.Join(parts, "; "))
}
