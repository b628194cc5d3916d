package ui

import "strings"

// A Table has rows of cells, which may have styles. The first row is the heading. A later row of
// one cell is text across all columns.
type Table struct {
	Left  int  // number of columns of text, which come first; the others are numbers
	Whole bool // text that is too wide has a line of its own, in place of losing its front
	rows  [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

const margin, gap = "  ", "  "

// Write writes the table, indented by two columns. If it is too wide, the last column of text loses
// its front, and text across all columns, too.
func (t *Table) Write(s *Screen) {
	widths, missing := make([]int, len(t.rows[0])), len(margin)-len(gap)-s.Width
	for i := range widths {
		for _, row := range t.rows {
			if len(row) == len(widths) {
				widths[i] = max(widths[i], Columns(row[i]))
			}
		}
		missing += widths[i] + len(gap)
	}
	if last := t.Left - 1; last >= 0 && missing > 0 {
		widths[last] = min(widths[last], max(12, widths[last]-missing))
	}
	for n, row := range t.rows {
		if len(row) < len(widths) {
			if room := s.Width - len(margin); Columns(row[0]) > room {
				row[0] = Tail(row[0], room)
			}
			s.Printf("%s%s\n", margin, row[0])
			continue
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
