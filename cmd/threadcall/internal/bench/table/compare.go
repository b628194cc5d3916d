package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
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
	pvalues := slices.ContainsFunc(rows, func(r stats.Row) bool { return p.probability(r.Deltas[version]) != "" })
	g := ui.Table{Left: 1, Whole: true}
	add := func(change change, d stats.Delta, cells ...string) {
		cells = append(cells, change.estimate)
		if pvalues {
			cells = append(cells, change.interval, p.probability(d))
		}
		g.Add(cells...)
	}
	n := func(old, new int) []string {
		switch {
		case p.n > 0:
			return nil
		case old == new:
			return []string{fmt.Sprint(old)}
		}
		return []string{fmt.Sprintf("%d+%d", old, new)}
	}
	heading := []string{t.Unit}
	if p.n == 0 {
		heading = append(heading, "n")
	}
	heading = append(heading, ui.Tail(p.Versions[0], 14), ui.Tail(p.Versions[version], 14), "change")
	if pvalues {
		heading = append(heading, "interval", "p")
	}
	g.Add(heading...)
	pkg := ""
	for _, row := range rows {
		if row.Package != pkg && p.Packages() > 1 {
			g.Title(row.Package)
		}
		pkg = row.Package
		old, new := row.Cells[0], row.Cells[version]
		cells := append([]string{row.Name}, n(old.N, new.N)...)
		add(p.change(t, row, version), row.Deltas[version], append(cells, p.center(t, old), p.center(t, new))...)
	}
	if version < len(t.Geomean) && t.Geomean[version].Over > 1 {
		d := t.Geomean[version]
		name := "geometric mean"
		if d.Over < len(rows) {
			name = fmt.Sprintf("%s of %d", name, d.Over)
		}
		cells := []string{name, "", ""}
		if p.n == 0 {
			cells = append(cells, "")
		}
		add(p.mean(t, d), d, cells...)
	}
	g.Write(p.Screen)
	fmt.Fprintln(p)
}

// center writes the median and how far its interval reaches.
func (p *printer) center(t *stats.Table, c stats.Cell) string {
	spread := c.PlusMinus()
	p.used.noSpread = p.used.noSpread || spread == "±?"
	p.used.spread = p.used.spread || spread != "" && spread != "±?"
	return strings.TrimSpace(t.Value(c.Center) + " " + spread)
}

// A change is how a difference is written.
type change struct{ estimate, interval string }

func (p *printer) change(t *stats.Table, row stats.Row, version int) change {
	d, old, new := row.Deltas[version], row.Cells[0], row.Cells[version]
	if d.Verdict != stats.Equal && d.Absolute && d.Method == stats.Exactly {
		return change{estimate: p.colour(d, fmt.Sprintf("%s → %s %s", t.Value(old.Center), t.Value(new.Center), t.Word(d)))}
	}
	return p.mean(t, d)
}

// mean writes a difference for which there is no single pair of values.
func (p *printer) mean(t *stats.Table, d stats.Delta) change {
	switch {
	case d.Verdict == stats.Equal:
		return change{estimate: p.Faint("the same")}
	case d.Verdict == stats.Unseen && d.MDE == 0:
		return change{estimate: p.Faint("~ most are the same")}
	case d.Verdict == stats.Unseen:
		p.used.inconclusive = true
		return change{estimate: p.Faint("~ MDE " + t.Detectable(d))}
	case d.Verdict == stats.Aside:
		return change{p.Faint(t.Change(d)), p.Faint(t.Range(d))}
	case d.Verdict == stats.TooFew:
		p.used.tooFew = true
		return change{estimate: p.Faint(fmt.Sprintf("~ needs %d values", d.Needs))}
	case !d.Visible():
		return change{estimate: t.Change(d) + " (no interval)"} // of unpaired results
	}
	c := change{estimate: p.colour(d, t.Change(d)+" "+t.Word(d))}
	if d.Method != stats.Exactly {
		p.used.change = true
		c.interval = t.Range(d)
	}
	return c
}

func (p *printer) colour(d stats.Delta, text string) string {
	switch d.Verdict {
	case stats.Better:
		return p.Green(text)
	case stats.Worse:
		return p.Red(text)
	}
	return text
}

func (p *printer) probability(d stats.Delta) string {
	p.used.pairs = p.used.pairs || d.Method == stats.Pairs && d.Verdict != stats.TooFew
	p.used.ranks = p.used.ranks || d.Method == stats.Ranks && d.Verdict != stats.TooFew
	return d.Probability()
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
