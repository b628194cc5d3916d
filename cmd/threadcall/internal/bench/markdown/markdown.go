// Package markdown writes comparisons of benchmarks for a pull request, in the Markdown of GitHub.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Report is what is written.
type Report struct {
	Title       string
	Facts       [][2]string         // what was compared, and how
	Comparisons []*stats.Comparison // of the same results
	Broken      []string            // limits that are broken, each with what broke it
	Notes       []string            // sentences
}

// Write writes what has changed, and all rows in a part that is closed at first.
func (r Report) Write(w io.Writer) error {
	p := &printer{out: w}
	p.line("### %s", ui.Escape(r.Title))
	p.line("")
	p.broken(r.Broken)
	p.facts(r.Facts)
	for _, c := range r.Comparisons {
		if len(c.Versions) == 1 {
			p.summary(c)
		}
		for v := 1; v < len(c.Versions); v++ {
			p.version(c, v, len(r.Comparisons) > 1 || len(c.Versions) > 2)
		}
	}
	for _, c := range r.Comparisons {
		p.failures(c.Failures)
	}
	for _, text := range r.Notes {
		p.paragraph("Note: " + text)
	}
	for _, c := range r.Comparisons {
		for _, text := range c.Warnings {
			p.paragraph("Note: " + text)
		}
	}
	return p.err
}

func (p *printer) failures(all []stats.Failure) {
	for _, f := range all {
		p.line("**Failed:** %s %s", ui.Code(strings.TrimPrefix(f.Package+"."+f.Name, ".")), ui.Escape(f.Version))
		p.line("")
		p.line("```")
		p.line("%s", strings.ReplaceAll(f.Reason, "```", "'''"))
		p.line("```")
		p.line("")
	}
}

// version writes how a version differs from the first, and their names if they are not in the title.
func (p *printer) version(c *stats.Comparison, v int, named bool) {
	x := digest.Of(c, v, false)
	if named {
		p.line("#### %s", ui.Escape(x.Old+" → "+x.New))
		p.line("")
	}
	p.line("**%s**", ui.Escape(x.Headline))
	p.line("")
	p.comparison(x, c.Confidence)
	for _, text := range slices.Concat([]string{x.Unchanged}, x.Layouts, x.Only) {
		p.paragraph(text)
	}
	if x.Asterisks {
		p.paragraph(digest.Asterisk)
	}
	p.line("<details><summary>All rows, with intervals</summary>")
	p.line("")
	all := digest.Of(c, v, true)
	p.comparison(all, c.Confidence)
	if !slices.Equal(all.Layouts, x.Layouts) {
		for _, text := range all.Layouts {
			p.paragraph(text)
		}
	}
	p.legend(all)
	p.line("</details>")
	p.line("")
}

// legend explains the words that only the table of all rows has.
func (p *printer) legend(x digest.Comparison) {
	mde, aside := false, false
	for _, s := range x.Sections {
		for _, r := range s.Rows {
			mde = mde || strings.HasPrefix(r.Word, "MDE ") || r.Word == "too noisy"
			aside = aside || r.Verdict == stats.Aside
		}
	}
	if mde {
		p.paragraph(fmt.Sprintf("MDE is the minimum detectable effect: an estimate of that size would have been visible. A row is too noisy if it is above %.0f %%.", 100*digest.TooNoisy))
	}
	if aside {
		p.paragraph("(aside): the verdict about the time rests on another unit.")
	}
}

// A printer keeps the first error.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}

func (p *printer) paragraph(text string) {
	if text != "" {
		p.line("%s", ui.Escape(text))
		p.line("")
	}
}

func (p *printer) broken(limits []string) {
	for _, text := range limits {
		p.line("> [!CAUTION]")
		p.line("> %s", ui.Escape(strings.ReplaceAll(text, "\n", "; ")))
		p.line("")
	}
}

func (p *printer) facts(facts [][2]string) {
	for _, f := range facts {
		p.line("- %s: %s", ui.Escape(f[0]), ui.Escape(f[1]))
	}
	if facts != nil {
		p.line("")
	}
}

// table writes a table.
func (p *printer) table(align string, rows [][]string) { p.line("%s", ui.Markdown(align, rows...)) }

func (p *printer) comparison(x digest.Comparison, confidence float64) {
	for _, s := range x.Sections {
		if len(s.Rows) > 0 {
			rows := [][]string{{ui.Escape(s.Unit), ui.Escape(x.Old), ui.Escape(x.New), "change", fmt.Sprintf("%.4g%% interval", 100*confidence), "p", ""}}
			for _, r := range s.Rows {
				name := ui.Code(r.Name)
				if r.Mean {
					name = ui.Escape(r.Name)
				}
				change := ui.Escape(strings.TrimSpace(r.Change + " " + r.Word))
				if r.Verdict == stats.Worse || r.Verdict == stats.Better || r.Verdict == stats.Changed {
					change = "**" + change + "**"
				}
				rows = append(rows, []string{name, ui.Escape(r.Old), ui.Escape(r.New), change, ui.Escape(r.Interval), ui.Escape(r.P), ui.Escape(r.Note)})
			}
			p.table("lrrrcrl", rows)
		}
		for _, text := range s.Rest {
			if len(s.Rows) == 0 {
				text = s.Unit + ": " + text
			}
			p.paragraph(text + ".")
		}
	}
}

// summary writes the only version.
func (p *printer) summary(c *stats.Comparison) {
	name := digest.Names(c)
	for i := range c.Tables {
		t := &c.Tables[i]
		rows := [][]string{{ui.Escape(t.Unit), "median", fmt.Sprintf("%.4g%% interval", 100*c.Confidence), "n"}}
		for _, r := range t.Rows {
			cell := r.Cells[0]
			interval := ""
			if cell.Interval != nil && !cell.Exact {
				interval = digest.Value(t, cell.Interval.Low) + " to " + digest.Value(t, cell.Interval.High)
			}
			rows = append(rows, []string{ui.Code(name(r)), digest.Value(t, cell.Center), interval, fmt.Sprint(cell.N)})
		}
		p.table("lrcr", rows)
	}
}
