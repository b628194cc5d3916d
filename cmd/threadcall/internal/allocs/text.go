package allocs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Text writes the report to a terminal.
type Text struct {
	*ui.Screen
	Top    int    // how many rows of each run; zero for all
	Once   bool   // also rows that allocate once only
	Stacks bool   // with the stacks of each row
	Dir    string // paths of files are relative to it
}

// Report writes everything.
func (t Text) Report(r *Report) {
	var nothing []string // benchmarks of which no row is shown
	for i := range r.Runs {
		if run := &r.Runs[i]; len(r.Runs) > 1 && run.PerOp && !t.Once && len(t.rows(run)) == 0 {
			nothing = append(nothing, run.Name)
		} else {
			t.run(run)
		}
	}
	if nothing != nil {
		t.Paragraph(t.Bold("Nothing an operation")+"  ", strings.Join(nothing, " "))
	}
	t.Failures("FAILED", r.Notes, r.Failures)
}

// Failures writes what did not run.
func (t Text) Failures(word string, notes []string, failures []Failure) {
	for _, n := range notes {
		t.Paragraph("Note: ", n)
	}
	for _, f := range failures {
		name := strings.TrimSpace(f.Package + " " + f.Name)
		if name != "" {
			name += ": "
		}
		t.Paragraph(t.Red(word)+" ", name+f.Problem)
	}
}

func (t Text) run(r *Run) {
	t.Printf("%s  %s\n", t.Bold(r.Name), t.Faint(r.Package))
	if r.PerOp {
		t.headline(r)
	} else {
		t.Paragraph("", fmt.Sprintf("%s in %.2f s, %s a second.", r.Total, r.Seconds,
			r.Total.Over(r.Seconds)))
	}
	rows := t.rows(r)
	shown := rows
	if t.Top > 0 && len(rows) > t.Top {
		shown = rows[:t.Top]
	}
	if len(rows) > 0 {
		t.Printf("\n")
		if r.PerOp {
			t.line("bytes/op", "objs/op", "once", "where")
		} else {
			t.line("bytes", "objects", "bytes/s", "where")
		}
	}
	for _, row := range shown {
		t.row(r, row)
	}
	if more := rows[len(shown):]; len(more) > 0 {
		var rest heap.Amount
		for _, row := range more {
			rest = rest.Plus(row.Amount)
		}
		t.line(ui.Number(rest.Bytes), ui.Number(rest.Objects), "",
			t.Faint(fmt.Sprintf("%d more rows (-top 0 shows all)", len(more))))
	}
	if r.shared() && r.PerOp && r.Unattributed == (heap.Amount{}) {
		t.Paragraph("", t.Faint(fmt.Sprintf("The runtime counted %s more an operation: tiny ones, which "+
			"share the blocks of rows marked +.", ui.Counted(r.profile.Hidden, "object", "objects"))))
	}
	t.Printf("\n")
}

// line writes numbers and a place.
func (t Text) line(bytes, objects, third, where string) {
	t.Printf("%9s %9s %9s  %s\n", bytes, objects, third, where)
}

// headline writes what a benchmark allocates altogether.
func (t Text) headline(r *Run) {
	if h := r.Headline; h != nil {
		t.Paragraph("", fmt.Sprintf("%s B/op, %s allocs/op: what go test -benchmem prints, in %d runs.",
			h.Bytes, h.Allocs, h.Runs))
	}
	text := fmt.Sprintf("%s an operation in the rows: the difference of %d and %d operations", r.Total,
		r.Operations[0], r.Operations[1])
	if n := len(r.repetitions); n > 1 && r.Measured.High-r.Measured.Low >= 0.01 {
		text += fmt.Sprintf(", the median of %d such pairs, of which the runtime counted %s to %s", n,
			ui.Number(r.Measured.Low), ui.Counted(r.Measured.High, "object", "objects"))
	}
	text += "."
	switch {
	case Negligible(r.Once):
	case t.Once:
		text += fmt.Sprintf(" Also %s once.", r.Once)
	default:
		text += fmt.Sprintf(" Also %s once; -once shows where.", r.Once)
	}
	t.Paragraph("", text)
	if r.Once.Objects <= -1 || r.Once.Bytes <= -16 {
		t.Paragraph(t.Red("Warning: "), fmt.Sprintf("what is allocated once is negative, %s: an "+
			"operation allocates more in the longer run.", r.Once))
	}
}

// rows returns those that are shown.
func (t Text) rows(r *Run) []Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool {
		return r.PerOp && !t.Once && Negligible(row.Amount)
	})
}

func (t Text) row(run *Run, r Row) {
	third := ui.Number(r.Once.Bytes)
	if !run.PerOp {
		third = ui.Number(r.Amount.Over(run.Seconds).Bytes)
	}
	count := ui.Number(r.Amount.Objects)
	if r.Shared {
		count += "+"
	}
	const margin = 31 // the width of the columns before the place
	t.line(ui.Number(r.Amount.Bytes), count, third, t.fit(r.Place(t.Dir), margin))
	under := strings.Repeat(" ", margin+1)
	if r.Kind == Unattributed {
		t.Paragraph(under, r.Why)
	} else {
		t.Paragraph(under, t.Faint(r.Kind+":")+" "+r.Why)
	}
	if !t.Stacks {
		return
	}
	for _, s := range r.Stacks {
		t.Printf("%s%s %s\n", under, ui.Number(s.Amount.Objects), t.Faint("objects by"))
		for _, f := range s.Frames {
			frame := fmt.Sprintf("%s %s:%d", symbol.Short(f.Function), filepath.Base(f.File), f.Line)
			t.Printf("%s  %s\n", under, t.fit(frame, margin+3))
		}
	}
}

// fit shortens text to what is left of a line after a margin.
func (t Text) fit(text string, margin int) string { return ui.Head(text, max(2, t.Width-margin-1)) }

// Place returns where the row is, with a path relative to dir.
func (r Row) Place(dir string) string {
	if r.Kind == Unattributed {
		return "not attributed to a place"
	}
	text := at(r.Where.File, r.Where.Line, dir) + symbol.Short(r.Where.Function)
	if r.Site != r.Where {
		text += " ← " + symbol.Short(r.Site.Function)
	}
	return text
}

// at is a line of a file, with a path relative to dir.
func at(file string, line int, dir string) string {
	return fmt.Sprintf("%s:%d ", ui.Path(file, dir), line)
}

// Budget writes which promises are kept, and how the others are broken.
func (t Text) Budget(c *budget.Check) {
	kept := 0
	for _, f := range c.Functions {
		name := at(f.File, f.Line, t.Dir) + f.Name
		switch {
		case len(f.Broken) > 0:
			t.Paragraph(t.Red("BROKEN")+" ", name)
			for _, p := range f.Broken {
				text := at(p.File, p.Line, t.Dir) + p.Reason
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
		text := at(e.File, e.Line, t.Dir) + e.Reason
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
func (t Text) asRun(f *budget.Function) string {
	var parts []string
	for _, n := range f.Notes {
		parts = append(parts, fmt.Sprintf("%s at %s:%d", n.Reason, filepath.Base(n.File), n.Line))
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

// Comparison writes what a change did, benchmarks that allocate differently first.
func (t Text) Comparison(c *Comparison) {
	t.Paragraph("", "New: "+c.New+".")
	t.Paragraph("", "Old: "+c.Old+".")
	t.Printf("\n")
	changed, same := c.split()
	for _, b := range changed {
		bytes, allocs := b.steps()
		t.Printf("%s  %s\n", t.Bold(b.Name), t.Faint(b.Package))
		t.Paragraph("", fmt.Sprintf("%s B/op, %s allocs/op.", bytes, allocs))
		if len(b.Places) > 0 {
			t.Printf("\n%9s %9s  %s\n", "bytes/op", "objs/op", "where")
		}
		places := b.Places
		if t.Top > 0 && len(places) > t.Top {
			places = places[:t.Top]
		}
		for _, p := range places {
			t.Printf("%9s %9s  %s\n", signed(p.Change.Bytes), signed(p.Change.Objects),
				t.fit(p.Row().Place(t.Dir), 21))
			t.Paragraph(strings.Repeat(" ", 22), t.Faint(p.Row().Kind+":")+" "+p.Why())
		}
		if n := len(b.Places) - len(places); n > 0 {
			t.Printf("%s\n", t.Faint(fmt.Sprintf("%d more places (-top 0 shows all)", n)))
		}
		t.Printf("\n")
	}
	if same != nil {
		t.Printf("%s\n", t.Bold("No change"))
		t.Paragraph("", strings.Join(same, " "))
	}
	t.Failures("FAILED in the old tree", c.Notes, c.OldFailures)
	t.Failures("FAILED", nil, c.Failures)
}

// split returns the benchmarks that allocate differently, and the names of the others.
func (c *Comparison) split() (changed []Change, same []string) {
	for _, b := range c.Benchmarks {
		if b.Changed() {
			changed = append(changed, b)
		} else {
			same = append(same, b.Name)
		}
	}
	return changed, same
}

// steps are from the old figures to the new ones.
func (c Change) steps() (bytes, allocs string) {
	switch o, n := c.Old, c.New; {
	case o == nil:
		return "new: " + n.Bytes.String(), "new: " + n.Allocs.String()
	case n == nil:
		return o.Bytes.String() + ", gone", o.Allocs.String() + ", gone"
	default:
		return step(o.Bytes, n.Bytes), step(o.Allocs, n.Allocs)
	}
}

func step(old, now Interval) string {
	if old == now {
		return now.String()
	}
	return old.String() + " → " + now.String()
}

func signed(v float64) string {
	switch {
	case v > 0:
		return "+" + ui.Number(v)
	case v < 0:
		return "−" + ui.Number(-v)
	}
	return "0"
}

// Markdown writes the comparison for a pull request. Paths are relative to t.Dir.
func (t Text) Markdown(c *Comparison) {
	t.Printf("### Allocations\n\nNew: %s. Old: %s. %s.\n\n", ui.Escape(c.New), ui.Escape(c.Old), c.Go)
	rows := [][]string{{"benchmark", "B/op", "allocs/op"}}
	changed, same := c.split()
	for _, x := range changed {
		bytes, allocs := x.steps()
		rows = append(rows, []string{ui.Code(x.Name), bytes, allocs})
	}
	other := ""
	if changed != nil {
		t.Printf("%s\n", ui.Markdown("lrr", rows...))
		other = "other "
	}
	if n := len(same); n > 0 {
		t.Printf("No change in %s.\n", ui.Counted(n, other+"benchmark", other+"benchmarks"))
	}
	for _, x := range c.Benchmarks {
		if len(x.Places) == 0 {
			continue
		}
		rows := [][]string{{"bytes/op", "objects/op", "where", "reason"}}
		for _, p := range x.Places {
			r := p.Row()
			rows = append(rows, []string{signed(p.Change.Bytes), signed(p.Change.Objects),
				ui.Code(r.Place(t.Dir)), r.Kind + ": " + ui.Escape(p.Why())})
		}
		t.Printf("\n#### `%s`\n\n%s", x.Name, ui.Markdown("rrll", rows...))
	}
	for _, f := range c.Failures {
		t.Printf("\n**Failed:** `%s %s`: %s\n", f.Package, f.Name, ui.Escape(f.Problem))
	}
	for _, f := range c.OldFailures {
		t.Printf("\n**Failed in the old tree:** `%s %s`: %s\n", f.Package, f.Name, ui.Escape(f.Problem))
	}
	for _, n := range c.Notes {
		t.Printf("\n%s.\n", ui.Escape(n))
	}
}
