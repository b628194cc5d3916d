package allocs

import (
	"fmt"
	"io"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Comparison writes what a change did, benchmarks that allocate differently first.
func (t Text) Comparison(c *Comparison) {
	t.Paragraph("", "New: "+c.New+".")
	t.Paragraph("", "Old: "+c.Old+".")
	fmt.Fprintln(t)
	var same []string
	for _, b := range c.Benchmarks {
		if !b.Changed() {
			same = append(same, b.Name)
			continue
		}
		fmt.Fprintln(t, t.Bold(b.Name)+"  "+t.Faint(b.Package))
		t.Paragraph("", fmt.Sprintf("%s B/op, %s allocs/op.", step(bytesOf(b.Old), bytesOf(b.New)), step(allocsOf(b.Old), allocsOf(b.New))))
		if len(b.Places) > 0 {
			fmt.Fprintf(t, "\n%9s %9s  %s\n", "bytes/op", "objs/op", "where")
		}
		places := b.Places
		if t.Top > 0 && len(places) > t.Top {
			places = places[:t.Top]
		}
		for _, p := range places {
			fmt.Fprintf(t, "%9s %9s  %s\n", signed(p.Change.Bytes), signed(p.Change.Objects), t.fit(p.Row().Place(t.Dir), 21))
			t.Paragraph(strings.Repeat(" ", 22), t.Faint(p.Row().Kind+":")+" "+p.Why())
		}
		if n := len(b.Places) - len(places); n > 0 {
			fmt.Fprintln(t, t.Faint(fmt.Sprintf("%d more places (-top 0 shows all)", n)))
		}
		fmt.Fprintln(t)
	}
	if same != nil {
		fmt.Fprintln(t, t.Bold("No change"))
		t.Paragraph("", strings.Join(same, " "))
	}
	for _, n := range c.Notes {
		t.Paragraph("Note: ", n)
	}
	for _, f := range c.OldFailures {
		t.Paragraph(t.Red("FAILED in the old tree")+" ", strings.TrimSpace(f.Package+" "+f.Name)+": "+f.Problem)
	}
	for _, f := range c.Failures {
		t.Paragraph(t.Red("FAILED")+" ", strings.TrimSpace(f.Package+" "+f.Name)+": "+f.Problem)
	}
}

func bytesOf(h *Headline) *Interval {
	if h == nil {
		return nil
	}
	return &h.Bytes
}

func allocsOf(h *Headline) *Interval {
	if h == nil {
		return nil
	}
	return &h.Allocs
}

// step is from one figure to another.
func step(old, now *Interval) string {
	switch {
	case old == nil:
		return "new: " + now.String()
	case now == nil:
		return old.String() + ", gone"
	case *old == *now:
		return now.String()
	}
	return old.String() + " → " + now.String()
}

func signed(v float64) string {
	if v > 0 {
		return "+" + ui.Number(v)
	}
	if v < 0 {
		return "−" + ui.Number(-v)
	}
	return "0"
}

// Markdown writes the comparison for a pull request. Paths are relative to dir.
func (c *Comparison) Markdown(w io.Writer, dir string) error {
	var b strings.Builder
	b.WriteString("### Allocations\n\n")
	fmt.Fprintf(&b, "New: %s. Old: %s. %s.\n\n", ui.Escape(c.New), ui.Escape(c.Old), c.Go)
	rows, same := [][]string{{"benchmark", "B/op", "allocs/op"}}, 0
	for _, x := range c.Benchmarks {
		if !x.Changed() {
			same++
			continue
		}
		rows = append(rows, []string{ui.Code(x.Name), step(bytesOf(x.Old), bytesOf(x.New)), step(allocsOf(x.Old), allocsOf(x.New))})
	}
	if len(rows) > 1 {
		b.WriteString(ui.Markdown("lrr", rows...))
	}
	switch {
	case len(rows) == 1:
		fmt.Fprintf(&b, "%s: no change.\n", ui.Counted(same, "benchmark", "benchmarks"))
	case same > 0:
		fmt.Fprintf(&b, "\nNo change in %s.\n", ui.Counted(same, "other benchmark", "other benchmarks"))
	}
	for _, x := range c.Benchmarks {
		if len(x.Places) == 0 {
			continue
		}
		rows := [][]string{{"bytes/op", "objects/op", "where", "reason"}}
		for _, p := range x.Places {
			r := p.Row()
			rows = append(rows, []string{signed(p.Change.Bytes), signed(p.Change.Objects), ui.Code(r.Place(dir)), r.Kind + ": " + ui.Escape(p.Why())})
		}
		fmt.Fprintf(&b, "\n#### `%s`\n\n%s", x.Name, ui.Markdown("rrll", rows...))
	}
	for _, f := range c.Failures {
		fmt.Fprintf(&b, "\n**Failed:** `%s %s`: %s\n", f.Package, f.Name, ui.Escape(f.Problem))
	}
	for _, f := range c.OldFailures {
		fmt.Fprintf(&b, "\n**Failed in the old tree:** `%s %s`: %s\n", f.Package, f.Name, ui.Escape(f.Problem))
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "\n%s.\n", ui.Escape(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
