package demo

import (
	"math"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// limits writes the ends of s in the unit of its median.
func limits(s Spread) string {
	unit := 1.0
	switch {
	case s.Median >= 999.5e6:
		unit = 1e9
	case s.Median >= 999.5e3:
		unit = 1e6
	case s.Median >= 999.5:
		unit = 1e3
	}
	return ui.Digits(s.Min/unit) + ".." + ui.Digits(s.Max/unit)
}

// count writes x without a fraction if the fraction is within what the runtime allocates by itself.
func count(x float64) string {
	if whole := math.Round(x); math.Abs(x-whole) < 0.02*whole+0.02 {
		return ui.Number(whole)
	}
	return ui.Digits(x)
}
