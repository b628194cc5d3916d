package table

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

// A grid is a table of which the first column is names.
type grid struct {
	rows [][]text
	left []bool // columns that are aligned to the left; the first one is always
}

// A text stands in a cell, in a style.
type text struct {
	text  string
	style func(string) string // nil: none
}

func plain(s string) text { return text{s, nil} }

func (g *grid) add(row ...text) { g.rows = append(g.rows, row) }

// gap is the number of blanks between columns.
const gap = 2

// write writes the grid. If it is wider than the screen, each name is on a line of its own.
func (g *grid) write(s *screen.Screen) {
	widths := g.widths()
	apart := g.columns() > s.Width
	for _, row := range g.rows {
		var line strings.Builder
		for i, cell := range row {
			if i == 0 && apart {
				if cell.text != "" {
					fmt.Fprintln(s, styled(cell))
				}
				continue
			}
			if i > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			blank := strings.Repeat(" ", widths[i]-screen.Columns(cell.text))
			if i == 0 || i < len(g.left) && g.left[i] {
				line.WriteString(styled(cell) + blank)
			} else {
				line.WriteString(blank + styled(cell))
			}
		}
		if text := strings.TrimRight(line.String(), " "); text != "" {
			fmt.Fprintln(s, text)
		}
	}
}

func styled(t text) string {
	if t.style == nil || t.text == "" {
		return t.text
	}
	return t.style(t.text)
}

// columns returns how wide the grid is.
func (g *grid) columns() int {
	total := -gap
	for _, w := range g.widths() {
		total += w + gap
	}
	return total
}

func (g *grid) widths() []int {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], screen.Columns(cell.text))
		}
	}
	return widths
}
