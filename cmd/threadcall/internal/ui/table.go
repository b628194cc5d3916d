package ui

import "strings"

// A Table has rows of cells, which may have styles. The first row is the heading.
type Table struct {
	Left   int  // number of columns of text, which come first; the others are numbers
	Whole  bool // text that is too wide has a line of its own, in place of losing its front
	rows   [][]string
	titles map[int]string // lines above rows
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Title adds a line above the next row.
func (t *Table) Title(text string) {
	if t.titles == nil {
		t.titles = map[int]string{}
	}
	t.titles[len(t.rows)] = text
}

// Write writes the table, indented by two columns. If it is too wide, the last column of text loses its front.
func (t *Table) Write(s *Screen) {
	const margin, gap = "  ", "  "
	room := s.Width - len(margin)
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	missing := -len(gap) - room
	for _, w := range widths {
		missing += w + len(gap)
	}
	if last := t.Left - 1; last >= 0 && missing > 0 {
		widths[last] = min(widths[last], max(12, widths[last]-missing))
	}
	for n, row := range t.rows {
		if title, ok := t.titles[n]; ok {
			s.Printf("%s%s\n", margin, Tail(title, room))
		}
		cells := make([]string, len(row))
		for i, cell := range row {
			if i == t.Left-1 && t.Whole && Columns(cell) > widths[i] {
				s.Printf("%s%s\n", margin, cell)
				cell = ""
			} else if i == t.Left-1 {
				cell = Tail(cell, widths[i])
			}
			cells[i] = Pad(cell, widths[i], i < t.Left)
		}
		line := strings.TrimRight(margin+strings.Join(cells, gap), " ")
		if n == 0 {
			line = s.Faint(line)
		}
		s.Printf("%s\n", line)
	}
}
