package present

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Rows of a table in the text, frames of a stack.
const (
	shownRows   = 10
	shownFrames = 4
)

// Text writes the report, first the verdict. Errors are in s.Err.
func Text(s *ui.Screen, r *report.Report) {
	list := sections(r)
	for i, f := range r.Verdict {
		s.Paragraph(fmt.Sprintf("  %d  ", i+1),
			fmt.Sprintf("%s At %s; see %q.", f.Text, ui.Duration(f.At), titleOf(list, f.Table)))
	}
	if len(r.Verdict) > 0 {
		s.Printf("\n")
	}
	opening(s, r)
	write(s, list)
}

// titleOf returns the heading above the table to which a finding leads.
func titleOf(list []section, id string) (title string) {
	for _, s := range list {
		if s.Title != "" {
			title = s.Title
		}
		if s.ID == id {
			return title
		}
	}
	return list[0].Title
}

func opening(s *ui.Screen, r *report.Report) {
	about := fmt.Sprintf("%s of trace in the format of %s, %s, %s", ui.Bytes(r.Trace.Bytes),
		r.Trace.Format,
		ui.Counted(r.Trace.Events, "event", "events"), ui.Duration(r.Trace.Duration))
	if r.Trace.GOMAXPROCS > 0 {
		about += fmt.Sprintf(", GOMAXPROCS %d", r.Trace.GOMAXPROCS)
	}
	s.Paragraph(s.Bold("threadcall trace")+"  ", ui.Plain(r.Trace.Name))
	s.Paragraph(strings.Repeat(" ", 18), about)
	for _, w := range r.Warnings {
		s.Paragraph(s.Red("warning")+"  ", ui.Plain(w))
	}
}

func write(s *ui.Screen, list []section) {
	for _, part := range list {
		if len(part.Facts)+len(part.Rows)+len(part.Items) == 0 {
			continue
		}
		if part.Title != "" {
			s.Printf("\n%s\n", s.Bold(part.Title))
		}
		s.Printf("\n")
		for _, f := range part.Facts {
			name := "  "
			if f.Name != "" {
				name = fmt.Sprintf("  %-15s ", f.Name)
			}
			s.Paragraph(name, f.Text)
		}
		if len(part.Facts) > 0 && len(part.Rows) > 0 {
			s.Printf("\n")
		}
		writeTable(s, part)
		for i, it := range part.Items {
			s.Paragraph(fmt.Sprintf("  %2d  ", i+1), it.Text)
			for _, st := range it.Stacks {
				writeStack(s, st)
			}
		}
		if part.Note != "" {
			s.Printf("\n")
			s.Paragraph("  ", part.Note)
		}
	}
}

func writeTable(s *ui.Screen, part section) {
	t := ui.Table{Left: part.Left}
	t.Add(part.Columns...)
	add := func(r row) {
		var line []string
		for _, c := range r.Cells {
			line = append(line, c.Text)
		}
		t.Add(line...)
	}
	n, more := 0, 0
	for _, r := range part.Rows {
		switch {
		case r.Faint:
		case n == shownRows:
			more++
		default:
			n++
			add(r)
			for _, under := range r.Under {
				add(under)
			}
		}
	}
	if n > 0 {
		t.Write(s)
	}
	if more > 0 {
		s.Printf("  and %s\n", ui.Counted(more, "more "+part.What, "more "+part.What+"s"))
	}
}

// writeStack writes the innermost frames of the program.
func writeStack(s *ui.Screen, st stack) {
	n := 0
	for _, f := range st.Frames {
		if f.Own() || strings.HasPrefix(f.Func, "runtime.") || n == shownFrames {
			continue
		}
		if n++; n == 1 {
			s.Printf("      %s\n", s.Faint(st.Title))
		}
		s.Printf("        %s\n", ui.Tail(name(f), max(20, s.Width-8)))
	}
}
