package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// comparison writes how a version differs from the first one.
func (p *printer) comparison(version int) {
	title := p.Bold(p.Versions[0] + " → " + p.Versions[version])
	p.n = p.samples(version)
	if p.n > 0 {
		title += p.Faint(fmt.Sprintf("  %d values each", p.n))
	}
	fmt.Fprintln(p, title)
	fmt.Fprintln(p)
	for i := range p.Tables {
		p.unit(&p.Tables[i], version)
	}
	p.only(version)
}

// unit writes one table.
func (p *printer) unit(t *stats.Table, version int) {
	var rows []stats.Row
	for _, row := range t.Rows {
		if row.Deltas[version].Verdict != stats.None {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return
	}
	if len(rows) > 1 && !slices.ContainsFunc(rows, func(r stats.Row) bool { return r.Deltas[version].Verdict != stats.Equal }) {
		fmt.Fprintf(p, "%s  always the same, in all %d benchmarks\n\n", p.Bold(t.Unit), len(rows))
		return
	}
	g := grid{left: []bool{true, false, false, true, false}}
	heading := []text{{t.Unit, p.Bold}, {p.short(0), p.Faint}, {p.short(version), p.Faint}, {"change", p.Faint}, {"p", p.Faint}}
	if p.n == 0 {
		heading = append(heading, text{"n", p.Faint})
	}
	g.add(heading...)
	pkg := ""
	for _, row := range rows {
		if row.Package != pkg && p.Packages() > 1 {
			g.add(text{row.Package, p.Faint})
		}
		pkg = row.Package
		d := row.Deltas[version]
		cells := []text{plain(row.Name), plain(p.center(t, row.Cells[0])), plain(p.center(t, row.Cells[version])), p.change(t, row, version), plain(p.probability(d))}
		if p.n == 0 {
			cells = append(cells, plain(counts(row.Cells[0].N, row.Cells[version].N)))
		}
		g.add(cells...)
	}
	if version < len(t.Geomean) && t.Geomean[version].Over > 1 {
		d := t.Geomean[version]
		name := "geometric mean"
		if d.Over < len(rows) {
			name = fmt.Sprintf("%s of %d", name, d.Over)
		}
		g.add(text{name, p.Faint}, text{}, text{}, p.mean(t, d), plain(p.probability(d)))
	}
	g.drop(4)
	g.write(p.Screen)
	fmt.Fprintln(p)
}

// short returns the name of a version, fit for a heading.
func (p *printer) short(version int) string {
	name := []rune(p.Versions[version])
	if len(name) > 14 {
		return "…" + string(name[len(name)-13:])
	}
	return string(name)
}

// center writes the median and how far its interval reaches.
func (p *printer) center(t *stats.Table, c stats.Cell) string {
	spread := c.PlusMinus()
	p.used.noSpread = p.used.noSpread || spread == "±?"
	p.used.spread = p.used.spread || spread != "" && spread != "±?"
	return strings.TrimSpace(t.Value(c.Center) + " " + spread)
}

// change writes a difference.
func (p *printer) change(t *stats.Table, row stats.Row, version int) text {
	d, old, new := row.Deltas[version], row.Cells[0], row.Cells[version]
	switch {
	case d.Verdict == stats.Equal:
		return text{"the same", p.Faint}
	case d.Absolute && d.Method == stats.Exactly:
		return text{fmt.Sprintf("%s → %s %s", t.Value(old.Center), t.Value(new.Center), t.Word(d)), p.colour(d)}
	}
	return p.mean(t, d)
}

// mean writes a difference for which there is no single pair of values.
func (p *printer) mean(t *stats.Table, d stats.Delta) text {
	switch {
	case d.Verdict == stats.Equal:
		return text{"the same", p.Faint}
	case d.Verdict == stats.Unseen && d.MDE == 0:
		return text{"~ most are the same", p.Faint}
	case d.Verdict == stats.Unseen:
		p.used.inconclusive = true
		return text{"~ MDE " + t.Detectable(d), p.Faint}
	case d.Verdict == stats.TooFew:
		p.used.tooFew = true
		return text{fmt.Sprintf("~ needs %d values", d.Needs), p.Faint}
	case d.Visible() && d.Method == stats.Exactly:
		return text{t.Change(d) + " " + t.Word(d), p.colour(d)}
	case d.Visible():
		p.used.change = true
		return text{fmt.Sprintf("%s %s  %s", t.Change(d), t.Word(d), t.Range(d)), p.colour(d)}
	}
	return plain(t.Change(d) + " (no interval)") // of unpaired results
}

func (p *printer) colour(d stats.Delta) func(string) string {
	switch d.Verdict {
	case stats.Better:
		return p.Green
	case stats.Worse:
		return p.Red
	}
	return nil
}

func (p *printer) probability(d stats.Delta) string {
	switch {
	case d.Method == "" || d.Method == stats.Exactly || d.Verdict == stats.TooFew:
		return ""
	}
	p.used.pairs = p.used.pairs || d.Method == stats.Pairs
	p.used.ranks = p.used.ranks || d.Method == stats.Ranks
	if d.P < 0.0005 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", d.P)
}

// samples returns the number of values of each benchmark in both versions if it is everywhere the same, or 0.
func (p *printer) samples(version int) int {
	n := 0
	for _, t := range p.Tables {
		for _, row := range t.Rows {
			old, new := row.Cells[0].N, row.Cells[version].N
			if old == 0 || new == 0 {
				continue
			}
			if n == 0 {
				n = old
			}
			if old != n || new != n {
				return 0
			}
		}
	}
	return n
}

func counts(old, new int) string {
	if old == new {
		return fmt.Sprint(old)
	}
	return fmt.Sprintf("%d+%d", old, new)
}

// only lists the benchmarks that one version does not have.
func (p *printer) only(version int) {
	var before, after []string
	add := func(names []string, row stats.Row) []string {
		if name := p.FullName(row); !slices.Contains(names, name) {
			return append(names, name)
		}
		return names
	}
	for _, t := range p.Tables {
		for _, row := range t.Rows {
			switch old, new := row.Cells[0].N > 0, row.Cells[version].N > 0; {
			case old && !new:
				before = add(before, row)
			case new && !old:
				after = add(after, row)
			}
		}
	}
	for _, x := range []struct {
		version int
		names   []string
	}{{0, before}, {version, after}} {
		if len(x.names) > 0 {
			p.Paragraph("", "Only in "+p.Versions[x.version]+": "+strings.Join(x.names, ", "))
		}
	}
	if len(before)+len(after) > 0 {
		fmt.Fprintln(p)
	}
}
