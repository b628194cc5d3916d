package trace

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

// A table has cells in columns. The first row is its heading.
type table struct {
	left   int // so many of the first columns are text, the others numbers
	rows   [][]string
	titles map[int]string // lines above rows
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// title adds a line for the row that is added next.
func (t *table) title(text string) {
	if t.titles == nil {
		t.titles = map[int]string{}
	}
	t.titles[len(t.rows)] = text
}

// write writes the table two columns from the margin. The last of the text columns gets what is left of the width,
// and loses the front of what does not fit.
func (t *table) write(s *screen.Screen) {
	const margin, gap = 2, 2
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], screen.Columns(cell))
		}
	}
	room := min(s.Width, 100) - margin
	for _, w := range widths {
		room -= w + gap
	}
	if room += gap; room < 0 && t.left > 0 {
		last := &widths[t.left-1]
		*last = min(*last, max(12, *last+room))
	}
	for n, row := range t.rows {
		if title, ok := t.titles[n]; ok {
			fmt.Fprintln(s, strings.Repeat(" ", margin)+tail(title, min(s.Width, 100)-margin))
		}
		line := strings.Repeat(" ", margin)
		for i, cell := range row {
			if i > 0 {
				line += strings.Repeat(" ", gap)
			}
			if i == t.left-1 {
				cell = tail(cell, widths[i])
			}
			if blanks := strings.Repeat(" ", max(0, widths[i]-screen.Columns(cell))); i < t.left {
				line += cell + blanks
			} else {
				line += blanks + cell
			}
		}
		line = strings.TrimRight(line, " ")
		if n == 0 {
			line = s.Faint(line)
		}
		fmt.Fprintln(s, line)
	}
}

// tail returns the end of text, n columns of it.
func tail(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return text
}
