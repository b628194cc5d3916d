package table

import (
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// summary writes the only version: a row for each benchmark, a column for each unit, in as many tables as the screen's
// width needs.
func (p *printer) summary() {
	type key struct{ pkg, name string }
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
	fill := func(g *grid, first, upTo int) {
		heading := []text{{}}
		for i := first; i < upTo; i++ {
			heading = append(heading, text{p.Tables[i].Unit, p.Bold})
		}
		g.add(append(heading, text{"n", p.Faint})...)
		pkg := ""
		for _, k := range order {
			if k.pkg != pkg && p.Packages() > 1 {
				g.add(text{k.pkg, p.Faint})
			}
			pkg = k.pkg
			row, n := []text{plain(k.name)}, 0
			for i := first; i < upTo; i++ {
				if cell := names[k][i]; cell != nil {
					row = append(row, plain(p.center(&p.Tables[i], *cell)))
					n = max(n, cell.N)
				} else {
					row = append(row, text{})
				}
			}
			if n > 0 {
				g.add(append(row, plain(fmt.Sprint(n)))...)
			}
		}
	}
	for first := 0; first < len(p.Tables); {
		upTo := first + 1
		for ; upTo < len(p.Tables); upTo++ {
			var wider grid
			if fill(&wider, first, upTo+1); wider.columns() > p.Width {
				break
			}
		}
		var g grid
		fill(&g, first, upTo)
		g.write(p.Screen)
		fmt.Fprintln(p)
		first = upTo
	}
}
