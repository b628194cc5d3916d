package present

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Markdown writes the result for a pull request, in the Markdown of GitHub: what has changed, and
// all rows in a part that is closed at first.
func (r Result) Markdown(w io.Writer) error {
	var m markdown
	m.line("### %s\n", ui.Escape(r.title()))
	if err := judge.Broken(r.Breaches); err != nil {
		for limit := range strings.SplitSeq(err.Error(), "\n") {
			m.line("> [!CAUTION]\n> %s\n", ui.Escape(limit))
		}
	}
	for _, f := range r.facts() {
		m.line("- %s: %s", ui.Escape(f[0]), ui.Escape(f[1]))
	}
	m.line("")
	c := r.Comparison
	if len(c.Versions) == 1 {
		m.summary(c)
	}
	for v := 1; v < len(c.Versions); v++ {
		if len(c.Versions) > 2 {
			m.line("#### %s\n", ui.Escape(c.Versions[0]+" → "+c.Versions[v]))
		}
		m.comparison(c, v)
	}
	for _, f := range r.failures() {
		reason := strings.ReplaceAll(f[1], "```", "'''")
		m.line("**Failed:** %s\n\n```\n%s\n```\n", ui.Code(f[0]), reason)
	}
	notes := slices.Concat(r.undecided(), r.Comparison.Warnings)
	if r.Report != nil {
		notes = slices.Concat(r.Report.Notes, notes)
	}
	for _, text := range notes {
		m.paragraph("Note: " + text)
	}
	_, err := io.WriteString(w, m.String())
	return err
}

// A markdown is the text that was written so far.
type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) paragraph(text string) { m.line("%s\n", ui.Escape(text)) }

// comparison writes how a version differs from the first.
func (m *markdown) comparison(c *judge.Comparison, version int) {
	x := digestOf(c, version, false)
	m.line("**%s**\n", ui.Escape(x.Headline))
	m.sections(x)
	for _, text := range x.Sentences {
		m.paragraph(text)
	}
	m.line("<details><summary>All rows, with intervals</summary>\n")
	m.sections(digestOf(c, version, true))
	for _, text := range legend[3:] {
		m.paragraph(text)
	}
	m.line("</details>\n")
}

func (m *markdown) sections(x digest) {
	for _, s := range x.Sections {
		rows := [][]string{{ui.Escape(s.Unit), ui.Escape(x.Old), ui.Escape(x.New), "change",
			"95% interval", "p"}}
		for _, r := range s.Rows {
			name, change := ui.Code(r.Name), ui.Escape(r.Change)
			switch r.Verdict {
			case judge.Worse, judge.Better, judge.Changed:
				change = "**" + change + "**"
			}
			rows = append(rows, []string{name, ui.Escape(r.Old), ui.Escape(r.New), change,
				ui.Escape(r.Interval), ui.Escape(r.P)})
		}
		if len(s.Rows) > 0 {
			m.line("%s", ui.Markdown("lrrrcr", rows...))
		}
		for _, text := range s.Rest {
			if len(s.Rows) == 0 {
				text = s.Unit + ": " + text
			}
			m.paragraph(text + ".")
		}
	}
}

// summary writes the only version.
func (m *markdown) summary(c *judge.Comparison) {
	for _, rows := range summaries(c) {
		for i, unit := range rows[0] {
			rows[0][i] = ui.Escape(unit)
		}
		for _, row := range rows[1:] {
			row[0] = ui.Code(row[0])
		}
		m.line("%s", ui.Markdown("l"+strings.Repeat("r", len(rows[0])-1), rows...))
	}
}
