package ui

import "strings"

// A Table has rows of cells, which may have styles. The first row is the heading.
type Table struct {
	Left  int  // number of columns of text, which come first; the others are numbers
	Whole bool // text that is too wide has a line of its own, in place of losing its front
	rows  [][]string
	lines []line
}

// A line is text across all columns.
type line struct {
	row  int // that it is above
	text string
	wrap bool // if it is too wide; otherwise it loses its front
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Title adds a line above the next row. If it is too wide, it loses its front.
func (t *Table) Title(text string) { t.lines = append(t.lines, line{len(t.rows), text, false}) }

// Note adds text below the last row, which is broken at blanks if it is too wide.
func (t *Table) Note(text string) { t.lines = append(t.lines, line{len(t.rows), text, true}) }

const margin, gap = "  ", "  "

// Write writes the table, indented by two columns. If it is too wide, the last column of text loses
// its front.
func (t *Table) Write(s *Screen) {
	widths, missing := make([]int, len(t.rows[0])), len(margin)-len(gap)-s.Width
	for i := range widths {
		for _, row := range t.rows {
			widths[i] = max(widths[i], Columns(row[i]))
		}
		missing += widths[i] + len(gap)
	}
	if last := t.Left - 1; last >= 0 && missing > 0 {
		widths[last] = min(widths[last], max(12, widths[last]-missing))
	}
	for n, row := range t.rows {
		t.writeLines(s, n)
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
	t.writeLines(s, len(t.rows))
}

// writeLines writes the lines above the row n.
func (t *Table) writeLines(s *Screen, n int) {
	for _, l := range t.lines {
		switch {
		case l.row != n:
		case l.wrap:
			indent := l.text[:len(l.text)-len(strings.TrimLeft(l.text, " "))]
			s.Paragraph(margin+indent, l.text)
		case Columns(l.text) > s.Width-len(margin):
			s.Printf("%s%s\n", margin, Tail(l.text, s.Width-len(margin)))
		default:
			s.Printf("%s%s\n", margin, l.text)
		}
	}
}
