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
	nothing := map[string][]string{} // names by package
	var packages []string
	for i := range r.Runs {
		run := &r.Runs[i]
		if len(r.Runs) > 1 && run.PerOp && !t.Once && len(t.rows(run)) == 0 && t.outside(run) == nil {
			if nothing[run.Package] == nil {
				packages = append(packages, run.Package)
			}
			nothing[run.Package] = append(nothing[run.Package], run.Name)
			continue
		}
		t.run(run)
	}
	for _, p := range packages {
		fmt.Fprintln(t, t.Bold("Nothing an operation")+"  "+t.Faint(p))
		t.Paragraph("", strings.Join(nothing[p], " "))
		fmt.Fprintln(t)
	}
	t.Failures(r)
}

// Failures writes what did not run.
func (t Text) Failures(r *Report) {
	for _, n := range r.Notes {
		t.Paragraph("Note: ", n)
	}
	for _, f := range r.Failures {
		name := strings.TrimSpace(f.Package + " " + f.Name)
		if name != "" {
			name += ": "
		}
		t.Paragraph(t.Red("FAILED")+" ", name+f.Problem)
	}
}

func (t Text) run(r *Run) {
	fmt.Fprintln(t, t.Bold(r.Name)+"  "+t.Faint(r.Package))
	if r.PerOp {
		t.headline(r)
	} else {
		t.Paragraph("", fmt.Sprintf("%s and %s in %.2f s, %s and %s a second.", ui.Bytes(r.Total.Bytes), Objects(r.Total.Objects),
			r.Seconds, ui.Bytes(r.Total.Bytes/r.Seconds), Objects(r.Total.Objects/r.Seconds)))
	}
	rows := t.rows(r)
	all := rows
	if t.Top > 0 && len(rows) > t.Top {
		rows = rows[:t.Top]
	}
	if len(rows) > 0 {
		fmt.Fprintln(t)
		if r.PerOp {
			fmt.Fprintf(t, "%9s %9s %9s  %s\n", "bytes/op", "objs/op", "once", "where")
		} else {
			fmt.Fprintf(t, "%9s %9s %9s  %s\n", "bytes", "objects", "bytes/s", "where")
		}
	}
	for _, row := range rows {
		t.row(r, row)
	}
	if n := len(all) - len(rows); n > 0 {
		var rest heap.Amount
		for _, row := range all[len(rows):] {
			rest = rest.Plus(row.Amount)
		}
		fmt.Fprintf(t, "%9s %9s %9s  %s\n", ui.Number(rest.Bytes), ui.Number(rest.Objects), "", t.Faint(fmt.Sprintf("%d more rows (-top 0 shows all)", n)))
	}
	t.account(r)
	fmt.Fprintln(t)
}

// headline writes what a benchmark allocates altogether.
func (t Text) headline(r *Run) {
	if h := r.Headline; h != nil {
		t.Paragraph("", fmt.Sprintf("%s B/op, %s allocs/op: what go test -benchmem prints, in %d runs.", h.Bytes, h.Allocs, h.Runs))
	}
	text := fmt.Sprintf("%s and %s an operation in the rows: the difference of %d and %d operations", ui.Bytes(r.Total.Bytes),
		Objects(r.Total.Objects), r.Operations[0], r.Operations[1])
	if n := len(r.repetitions); n > 1 && r.Measured.High-r.Measured.Low >= 0.01 {
		text += fmt.Sprintf(", the median of %d such pairs, of which the runtime counted %s to %s", n,
			ui.Number(r.Measured.Low), Objects(r.Measured.High))
	}
	t.Paragraph("", text+". "+t.once(r))
	if r.Once.Objects <= -1 || r.Once.Bytes <= -16 {
		t.Paragraph(t.Red("Warning: "), fmt.Sprintf("what is allocated once is negative, %s and %s: an operation allocates more in the longer run. "+
			"Its cost grows with the number of operations, or differs from run to run.", ui.Bytes(r.Once.Bytes), Objects(r.Once.Objects)))
	}
}

// String is the figure, or where it lies.
func (i Interval) String() string {
	if i.Stable() {
		return fmt.Sprintf("%.0f", i.Median)
	}
	return fmt.Sprintf("%.0f (%.0f to %.0f)", i.Median, i.Low, i.High)
}

// rows returns those that are shown.
func (t Text) rows(r *Run) (rows []Row) {
	for _, row := range r.Rows {
		if !r.PerOp || t.Once || !Negligible(row.Amount) {
			rows = append(rows, row)
		}
	}
	return rows
}

func (t Text) once(r *Run) string {
	if Negligible(r.Once) {
		return ""
	}
	more := "; -once shows where."
	if t.Once {
		more = "."
	}
	return fmt.Sprintf("Also %s and %s once%s", ui.Bytes(r.Once.Bytes), Objects(r.Once.Objects), more)
}

func (t Text) row(run *Run, r Row) {
	third := ui.Number(r.Once.Bytes)
	if !run.PerOp {
		third = ui.Number(r.Rate.Bytes)
	}
	count := ui.Number(r.Amount.Objects)
	if r.Shared {
		count += "+"
	}
	margin, between := 31, "  " // the width of the columns before the place
	if t.Width < 60 {
		margin, between = 3, "\n   " // a line of its own
	}
	place := r.Place(t.Dir)
	if short := r.Place(""); ui.Columns(place) > t.Width-margin && ui.Columns(short) < ui.Columns(place) {
		place = short
	}
	fmt.Fprintf(t, "%9s %9s %9s%s%s\n", ui.Number(r.Amount.Bytes), count, third, between, t.fit(place, margin))
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
		fmt.Fprintf(t, "%s%s %s\n", under, ui.Number(s.Amount.Objects), t.Faint("objects by"))
		for _, f := range s.Frames {
			fmt.Fprintln(t, under+"  "+t.fit(fmt.Sprintf("%s %s:%d", symbol.Short(f.Function), filepath.Base(f.File), f.Line), margin+3))
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
	text := fmt.Sprintf("%s:%d %s", ui.Path(r.Where.File, dir), r.Where.Line, symbol.Short(r.Where.Function))
	if r.Site != r.Where {
		text += " ← " + symbol.Short(r.Site.Function)
	}
	return text
}

// account writes what the rows do not have.
func (t Text) account(r *Run) {
	if r.shared() && r.PerOp && r.Unattributed == (heap.Amount{}) {
		t.Paragraph("", t.Faint(fmt.Sprintf("The runtime counted %s more an operation: tiny ones, which share the blocks of rows marked +.",
			Objects(r.profile.Hidden))))
	}
	if parts := t.outside(r); parts != nil {
		t.Paragraph("", t.Faint("Not of the heap, and so in no row: "+strings.Join(parts, ", ")+"."))
	}
}

// outside describes memory that is not of the heap.
func (t Text) outside(r *Run) (parts []string) {
	for _, o := range r.Outside {
		if !r.PerOp {
			parts = append(parts, fmt.Sprintf("%s %s", o.Name, ui.Bytes(o.Bytes)))
		} else if o.Each*float64(r.Operations[0]) > largeGrowth && o.Name != "the profile itself" {
			parts = append(parts, fmt.Sprintf("%s %s an operation", o.Name, ui.Bytes(o.Each)))
		}
	}
	return parts
}

// largeGrowth is more than one run may have of such memory than another by chance: it comes in large pieces.
const largeGrowth = 1 << 20

func (r *Run) shared() bool {
	for _, row := range r.Rows {
		if row.Shared {
			return true
		}
	}
	return false
}

// Objects formats a number of objects.
func Objects(v float64) string { return ui.Counted(v, "object", "objects") }

// Budget writes which promises are kept, and how the others are broken.
func (t Text) Budget(c *budget.Check) {
	kept := 0
	for _, f := range c.Functions {
		at := fmt.Sprintf("%s:%d ", ui.Path(f.File, t.Dir), f.Line)
		switch {
		case len(f.Broken) > 0:
			t.Paragraph(t.Red("BROKEN")+" ", at+f.Name)
			for _, p := range f.Broken {
				text := fmt.Sprintf("%s:%d ", ui.Path(p.File, t.Dir), p.Line) + p.Reason
				if p.Run != "" {
					text += ", in " + p.Run
				}
				t.Paragraph("       ", text)
			}
		case !f.Reached:
			t.Paragraph(t.Red("NEVER RUN")+" ", at+f.Name+": no benchmark that ended well calls it"+within(f))
		case !f.Kept():
			t.Paragraph(t.Red("NOT RUN AT ITS LIMIT")+" ", at+f.Name+within(f)+": no benchmark calls it with "+atLimits(f))
		default:
			kept++
			t.Paragraph(t.Green("ok")+" ", at+f.Name+within(f)+t.asRun(f))
		}
	}
	for _, e := range c.Excuses {
		text := fmt.Sprintf("%s:%d %s", ui.Path(e.File, t.Dir), e.Line, e.Reason)
		if !e.Used {
			text += " (neither the compiled code nor a benchmark shows an allocation)"
		}
		t.Paragraph(t.Faint("excused")+" ", text)
	}
	if slices.ContainsFunc(c.Functions, func(f *budget.Function) bool {
		return slices.ContainsFunc(f.Broken, func(p budget.Problem) bool { return p.Sized })
	}) {
		t.Paragraph("", "A promise that is made for small arguments only names the limit, //threadcall:noalloc len(s)<=32, "+
			"and a benchmark must call the function with it.")
	}
	t.Paragraph("", fmt.Sprintf("%d of %d functions keep their promise not to allocate, by their compiled code and in %s.",
		kept, len(c.Functions), ui.Counted(len(c.Runs), "benchmark", "benchmarks")))
}

// within describes the limits of a promise.
func within(f *budget.Function) string {
	var parts []string
	for _, l := range f.Limits {
		parts = append(parts, l.String())
	}
	if parts == nil {
		return ""
	}
	return ", for " + strings.Join(parts, " and ")
}

func atLimits(f *budget.Function) string {
	var limits, seen []string
	for _, l := range f.Limits {
		limits = append(limits, fmt.Sprintf("%s = %d", l.Expr, l.Most))
		seen = append(seen, fmt.Sprint(l.Seen))
	}
	return strings.Join(limits, " and ") + "; the largest: " + strings.Join(seen, " and ")
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
