// Package paper writes the parts of a page in Markdown: tables, numbers with their units, and verdicts.
package paper

import (
	"math"
	"strconv"
	"strings"
)

// Table writes a table. All columns but the first are aligned to the right if their cells begin with digits.
func Table(head []string, rows [][]string) string {
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

// Wrap breaks a paragraph into lines of at most 120 columns, where it has spaces.
func Wrap(text string) string {
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

// Time writes nanoseconds in a unit in which they have few digits.
func Time(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= 0.9995*u.size {
			return Three(ns/u.size) + " " + u.name
		}
	}
	return Three(ns) + " ns"
}

// Three writes a number with three digits that count, or all that stand before the point.
func Three(x float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(x)*(1+5e-4)))))
	return Thousands(strconv.FormatFloat(x, 'f', min(digits, 6), 64))
}

// Whole writes a number without a fraction.
func Whole[N int | uint64 | int64 | float64](n N) string {
	return Thousands(strconv.FormatFloat(math.Round(float64(n)), 'f', 0, 64))
}

// Many writes how many of something there are.
func Many[N int | uint64](n N, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return Whole(n) + " " + of + "s"
}

// Thousands puts commas between the thousands of a number.
func Thousands(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	whole, fraction, found := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		whole += "." + fraction
	}
	return sign + whole
}

// Percent writes a share.
func Percent(share float64) string { return Three(100*share) + " %" }
