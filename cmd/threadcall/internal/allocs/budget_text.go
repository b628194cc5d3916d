package allocs

import (
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Budget tells which promises are kept, and how the others are broken.
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
			t.Paragraph(t.Red("NEVER RUN")+" ", at+f.Name+": no benchmark calls it")
		default:
			kept++
			t.Paragraph(t.Green("ok")+" ", at+f.Name)
		}
	}
	for _, e := range c.Excuses {
		text := fmt.Sprintf("%s:%d %s", ui.Path(e.File, t.Dir), e.Line, e.Reason)
		if !e.Used {
			text += " (neither the compiler nor a benchmark saw it allocate)"
		}
		t.Paragraph(t.Faint("excused")+" ", text)
	}
	t.Paragraph("", fmt.Sprintf("%d of %d functions keep their promise not to allocate, by the compiler's word and in %d benchmarks.",
		kept, len(c.Functions), len(c.Runs)))
}
