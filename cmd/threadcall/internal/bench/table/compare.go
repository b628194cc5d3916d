package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// comparison writes how a version differs from the first one.
func (p *printer) comparison(version int) {
	x := digest.Of(p.Comparison, version, p.verbose)
	if p.verbose || len(p.Versions) > 2 {
		title := p.Bold(x.Old + " → " + x.New)
		if x.Values > 0 {
			title += p.Faint("  " + ui.Counted(x.Values, "value", "values") + " each")
		}
		fmt.Fprintln(p, title)
	}
	p.Paragraph("", p.Bold(x.Headline))
	fmt.Fprintln(p)
	if len(x.Sections) > 0 {
		p.sections(x)
		fmt.Fprintln(p)
	}
	for _, line := range slices.Concat([]string{x.Unchanged}, x.Layouts, x.Only) {
		if line != "" {
			p.Paragraph("", line)
		}
	}
	if x.Asterisks {
		p.Paragraph("", digest.Asterisk)
	}
	if x.Unchanged != "" || len(x.Layouts) > 0 || len(x.Only) > 0 || x.Asterisks {
		fmt.Fprintln(p)
	}
}

// sections writes the units.
func (p *printer) sections(x digest.Comparison) {
	if slices.ContainsFunc(x.Sections, func(s digest.Section) bool { return len(s.Rows) > 0 }) {
		g := p.table(x, true)
		if g.Width() > p.Width {
			g = p.table(x, false)
		}
		g.Write(p.Screen)
		return
	}
	for _, s := range x.Sections {
		for _, text := range s.Rest {
			p.Paragraph("  ", p.Bold(s.Unit)+": "+text)
		}
	}
}

// table returns the table of all units, with the notes where that is set.
func (p *printer) table(x digest.Comparison, notes bool) *ui.Table {
	g := &ui.Table{Left: 1, Whole: true}
	add := func(cells []string, note string) {
		if notes {
			cells = append(cells, note)
		}
		g.Add(cells...)
	}
	short := func(version string) string {
		if p.Width > ui.MaxWidth {
			return version
		}
		return ui.Tail(version, 14)
	}
	percent := strings.TrimSuffix(fmt.Sprintf("%.4g", 100*p.Confidence), ".0")
	add([]string{"", short(x.Old), short(x.New), "change", percent + "% interval", "p"}, "")
	for _, s := range x.Sections {
		g.Title(p.Bold(s.Unit))
		for _, row := range s.Rows {
			p.used.note(row)
			change := strings.TrimSpace(row.Change + " " + row.Word)
			add([]string{"  " + row.Name, row.Old, row.New, p.colour(row.Verdict, change), row.Interval, row.P}, row.Note)
		}
		for _, text := range s.Rest {
			g.Note("  " + text)
		}
	}
	return g
}

func (p *printer) colour(v stats.Verdict, text string) string {
	switch v {
	case stats.Better:
		return p.Green(text)
	case stats.Worse:
		return p.Red(text)
	case stats.Changed:
		return text
	}
	return p.Faint(text)
}
