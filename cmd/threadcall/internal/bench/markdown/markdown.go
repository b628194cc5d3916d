// Package markdown writes comparisons of benchmarks for a pull request, in the Markdown of GitHub.
package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
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
	p.line("### %s", escape(r.Title))
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
	c := r.Comparisons[0]
	for _, f := range c.Failures {
		p.line("**Failed:** %s %s", code(strings.TrimPrefix(f.Package+"."+f.Name, ".")), escape(f.Version))
		p.line("")
		p.line("```")
		p.line("%s", strings.ReplaceAll(f.Reason, "```", "'''"))
		p.line("```")
		p.line("")
	}
	for _, text := range append(r.Notes, c.Warnings...) {
		p.paragraph("Note: " + text)
	}
	return p.err
}

// version writes how a version differs from the first, and their names if they are not in the title.
func (p *printer) version(c *stats.Comparison, v int, named bool) {
	x := digest.Of(c, v, false)
	headline := x.Headline
	if named {
		headline = x.Old + " → " + x.New + ": " + headline
	}
	p.line("**%s**", escape(headline))
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
	p.line("</details>")
	p.line("")
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
		p.line("%s", escape(text))
		p.line("")
	}
}

func (p *printer) broken(limits []string) {
	for _, text := range limits {
		p.line("> [!CAUTION]")
		p.line("> %s", escape(strings.ReplaceAll(text, "\n", "; ")))
		p.line("")
	}
}

func (p *printer) facts(facts [][2]string) {
	for _, f := range facts {
		p.line("- %s: %s", escape(f[0]), escape(f[1]))
	}
	if facts != nil {
		p.line("")
	}
}

// row writes the cells of a table, which are escaped already.
func (p *printer) row(cells ...string) { p.line("| %s |", strings.Join(cells, " | ")) }

func (p *printer) comparison(x digest.Comparison, confidence float64) {
	for _, s := range x.Sections {
		if len(s.Rows) > 0 {
			p.row(escape(s.Unit), escape(x.Old), escape(x.New), "change", fmt.Sprintf("%.4g%% interval", 100*confidence), "p", "")
			p.row(":--", "--:", "--:", "--:", ":-:", "--:", ":--")
			for _, r := range s.Rows {
				name := code(r.Name)
				if r.Mean {
					name = escape(r.Name)
				}
				change := escape(strings.TrimSpace(r.Change + " " + r.Word))
				if r.Verdict == stats.Worse || r.Verdict == stats.Better || r.Verdict == stats.Changed {
					change = "**" + change + "**"
				}
				p.row(name, escape(r.Old), escape(r.New), change, escape(r.Interval), escape(r.P), escape(r.Note))
			}
			p.line("")
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
		p.row(escape(t.Unit), "median", fmt.Sprintf("%.4g%% interval", 100*c.Confidence), "n")
		p.row(":--", "--:", ":-:", "--:")
		for _, r := range t.Rows {
			cell := r.Cells[0]
			interval := ""
			if cell.Interval != nil && !cell.Exact {
				interval = digest.Value(t, cell.Interval.Low) + " to " + digest.Value(t, cell.Interval.High)
			}
			p.row(code(name(r)), digest.Value(t, cell.Center), interval, fmt.Sprint(cell.N))
		}
		p.line("")
	}
}

var special = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`,
	"|", `\|`, "~", `\~`, "#", `\#`, "@", "@\u2060", "\n", " ")

// escape makes text one line that looks as it is. A name after @ would notify its bearer.
func escape(text string) string { return special.Replace(text) }

// code returns text as code in a cell of a table.
func code(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	if strings.Contains(text, "`") {
		return escape(text)
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}
