package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
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

// write writes the grid. If it is wider than the screen, the names that are too long have lines of their own.
func (g *grid) write(s *ui.Screen) {
	widths := g.widths()
	names := max(0, min(widths[0], widths[0]-(g.columns()-s.Width)))
	for _, row := range g.rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			width := widths[i]
			if i == 0 {
				width = names
				if ui.Columns(cell.text) > width {
					fmt.Fprintln(s, styled(cell))
					cell.text = ""
				}
			}
			blank := strings.Repeat(" ", width-ui.Columns(cell.text))
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

// drop removes a column in which nothing stands but the heading.
func (g *grid) drop(column int) {
	for _, row := range g.rows[1:] {
		if column < len(row) && row[column].text != "" {
			return
		}
	}
	for i, row := range g.rows {
		if column < len(row) {
			g.rows[i] = slices.Delete(row, column, column+1)
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
			widths[i] = max(widths[i], ui.Columns(cell.text))
		}
	}
	return widths
}
