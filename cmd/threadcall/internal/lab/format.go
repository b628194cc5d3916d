package main

import (
	"math"
	"strconv"
	"strings"
)

// table writes a table. All columns but the first are aligned to the right if their cells begin with digits.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			b.WriteString(" " + strings.ReplaceAll(cell, "|", `\|`) + " |")
		}
		b.WriteString("\n")
	}
	line(head)
	rule := make([]string, len(head))
	for i := range rule {
		if rule[i] = "---"; i > 0 && numbers(rows, i) {
			rule[i] = "---:"
		}
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
	return b.String()
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

// duration writes nanoseconds in a unit in which they have few digits.
func duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= 0.9995*u.size {
			return three(ns/u.size) + " " + u.name
		}
	}
	return three(ns) + " ns"
}

// three writes a number with three digits that count, or all that stand before the point.
func three(x float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(x)*(1+5e-4)))))
	return thousands(strconv.FormatFloat(x, 'f', min(digits, 6), 64))
}

// whole writes a number without a fraction.
func whole[N int | uint64 | int64 | float64](n N) string {
	return thousands(strconv.FormatFloat(math.Round(float64(n)), 'f', 0, 64))
}

// thousands puts commas between the thousands of a number that is not negative.
func thousands(number string) string {
	digits, fraction, found := strings.Cut(number, ".")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if found {
		digits += "." + fraction
	}
	return digits
}
