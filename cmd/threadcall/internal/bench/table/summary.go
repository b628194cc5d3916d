package table

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// inOneTable is how many units a table has, so that they fit the width of a screen.
const inOneTable = 4

// center writes the median and how far its interval reaches.
func (p *printer) center(t *stats.Table, c stats.Cell) string {
	spread := c.PlusMinus()
	p.used.noSpread = p.used.noSpread || spread == "±?"
	p.used.spread = p.used.spread || spread != "" && spread != "±?"
	return strings.TrimSpace(t.Value(c.Center) + " " + spread)
}

// summary writes the only version: a row for each benchmark, a column for each unit.
func (p *printer) summary() {
	type key struct{ pkg, name string }
	name := digest.Names(p.Comparison)
	var order []key
	names := map[key][]*stats.Cell{}
	for i, t := range p.Tables {
		for j, row := range t.Rows {
			k := key{row.Package, row.Name}
			if names[k] == nil {
				order = append(order, k)
				names[k] = make([]*stats.Cell, len(p.Tables))
			}
			names[k][i] = &p.Tables[i].Rows[j].Cells[0]
		}
	}
	for first := 0; first < len(p.Tables); first += inOneTable {
		upTo := min(first+inOneTable, len(p.Tables))
		heading := []string{""}
		for _, t := range p.Tables[first:upTo] {
			heading = append(heading, p.Bold(t.Unit))
		}
		g := ui.Table{Left: 1, Whole: true}
		g.Add(append(heading, "n")...)
		for _, k := range order {
			row, n := []string{name(stats.Row{Package: k.pkg, Name: k.name})}, 0
			for i := first; i < upTo; i++ {
				text := ""
				if cell := names[k][i]; cell != nil {
					text, n = p.center(&p.Tables[i], *cell), max(n, cell.N)
				}
				row = append(row, text)
			}
			if n == 0 {
				continue
			}
			g.Add(append(row, fmt.Sprint(n))...)
		}
		g.Write(p.Screen)
		fmt.Fprintln(p)
	}
}
