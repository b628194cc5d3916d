package demo

import (
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// names are the rows of the table, from top to bottom.
var names = []string{"direct", "naive", "pooled", "struct", "threadcall", "floor"}

// table shows the rows of both places side by side, or one above the other if the screen is narrow.
func (t Text) table(r *Report) {
	left, right := half(r, Unlocked), half(r, MainThread)
	first := pad(append([]string{"", ""}, names...), false)
	if room := t.Width - ui.Columns(first[0]+left[0]+right[0]); room >= 0 {
		t.lines(strings.Repeat(" ", min(room, 3)), first, left, right)
	} else {
		t.lines("", first, left)
		t.say("\n")
		t.lines("", first, right)
	}
	t.say("\n")
	t.Paragraph("direct  ", "The same function is called where its caller is.")
	floor := "Two threads hand one word to and fro: the least that a call between threads can take, if both have a " +
		"core to themselves."
	if why := r.Row("floor", TwoThreads).Missing; why != "" {
		floor = "There is none: " + why + "."
	}
	t.Paragraph("floor   ", floor)
	t.Paragraph("-       ", r.Row("threadcall", Unlocked).Missing+".")
}

// lines writes the first column and the halves beside it, with a gap between those.
func (t Text) lines(gap string, first []string, halves ...[]string) {
	for i, line := range first {
		for n, h := range halves {
			if n > 0 {
				line += gap
			}
			line += h[i]
		}
		line = strings.TrimRight(line, " ")
		if i < 2 {
			line = t.Faint(line)
		} else if strings.HasPrefix(line, "threadcall") {
			line = t.Bold(line)
		}
		t.say("%s\n", line)
	}
}

// half returns the lines of one place, two of headings first, all of one width.
func half(r *Report, served Place) []string {
	columns := [][]string{{"time/op"}, {"min..max"}, {"B/op"}, {"allocs/op"}}
	for _, name := range names {
		cells := []string{"-", "", "", ""}
		row := r.Row(name, served)
		if name == "floor" && served == MainThread {
			row = r.Row(name, TwoThreads)
		}
		if row != nil && row.Missing == "" {
			cells[0], cells[1] = ui.Duration(row.Time.Median), limits(row.Time)
			if row.Bytes != nil {
				cells[2], cells[3] = count(row.Bytes.Median), count(row.Allocs.Median)
			}
		}
		for i := range columns {
			columns[i] = append(columns[i], cells[i])
		}
	}
	lines := make([]string, 1+len(names))
	for _, c := range columns {
		for i, cell := range pad(c, true) {
			lines[i] += " " + cell
		}
	}
	return pad(append([]string{"  served by " + string(served)}, lines...), false)
}

// pad makes all cells as wide as the widest.
func pad(cells []string, right bool) []string {
	width := 0
	for _, c := range cells {
		width = max(width, ui.Columns(c))
	}
	for i, c := range cells {
		if blanks := strings.Repeat(" ", width-ui.Columns(c)); right {
			cells[i] = blanks + c
		} else {
			cells[i] = c + blanks
		}
	}
	return cells
}
