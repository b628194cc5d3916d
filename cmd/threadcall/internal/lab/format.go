package main

import (
	"math"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// table writes a table. All columns but the first are aligned to the right if their cells begin with digits.
func table(head []string, rows [][]string) string {
	align := []byte(strings.Repeat("l", len(head)))
	for i := 1; i < len(head); i++ {
		if numbers(rows, i) {
			align[i] = 'r'
		}
	}
	all := [][]string{head}
	for _, row := range rows {
		cells := slices.Clone(row)
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
		}
		all = append(all, cells)
	}
	return ui.Markdown(string(align), all...)
}

func numbers(rows [][]string, column int) bool {
	found := false
	for _, row := range rows {
		cell := row[column]
		if cell == "" || cell == "—" {
			continue
		}
		if cell[0] < '0' || cell[0] > '9' {
			return false
		}
		found = true
	}
	return found
}

// wrap breaks a paragraph into lines of at most 120 columns, where it has spaces.
func wrap(text string) string {
	const width = 120
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteString("\n")
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String() + "\n"
}

func duration(ns float64) string { return ui.Duration(ns) }

// whole writes a number without a fraction.
func whole[N int | uint64 | int64 | float64](n N) string {
	return ui.Count(uint64(math.Round(float64(n))))
}
