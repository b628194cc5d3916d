// Package unit writes numbers for people: three digits and a unit.
package unit

import (
	"math"
	"strconv"
	"time"
)

// Duration writes d as "1.23 ms".
func Duration(d time.Duration) string { return Nanoseconds(float64(d)) }

// Nanoseconds writes a number of nanoseconds, as Duration.
func Nanoseconds(n float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	for math.Abs(n) >= 999.5 && len(units) > 1 {
		n, units = n/1000, units[1:]
	}
	if units[0] == "s" && math.Abs(n) >= 600*60 {
		return digits(n/3600) + " h"
	}
	if units[0] == "s" && math.Abs(n) >= 600 {
		return digits(n/60) + " min"
	}
	return digits(n) + " " + units[0]
}

// Bytes writes a number of bytes as "1.23 MiB".
func Bytes(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for math.Abs(n) >= 999.5 && len(units) > 1 {
		n, units = n/1024, units[1:]
	}
	return digits(n) + " " + units[0]
}

// Count writes n with a comma after every three digits.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Share writes part of whole in percent, and a dash if there is no whole.
func Share(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	percent := 100 * part / whole
	if percent > 0 && percent < 0.1 {
		return "<0.1%"
	}
	return strconv.FormatFloat(percent, 'f', 1, 64) + "%"
}

// digits writes n with three digits, or more before the point.
func digits(n float64) string {
	places := 0
	switch a := math.Abs(n); {
	case a == math.Trunc(a):
	case a < 9.995:
		places = 2
	case a < 99.95:
		places = 1
	}
	return strconv.FormatFloat(n, 'f', places, 64)
}
