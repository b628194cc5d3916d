package paper

import (
	"math"

	"github.com/threadcall/threadcall/internal/lab/measure"
)

// Spread writes a time with its interval: "366 ns ± 2 %".
func Spread(e measure.Estimate) string {
	if s := e.Spread(); !math.IsInf(s, 0) && !math.IsNaN(s) {
		return Time(e.Centre) + " ± " + percent(s)
	}
	return Time(e.Centre)
}

func percent(share float64) string {
	if share < 0.095 {
		return Three(math.Round(1000*share)/10) + " %"
	}
	return Whole(100*share) + " %"
}

// Ratio writes a ratio with its interval: "0.82 (0.80 to 0.85)".
func Ratio(e measure.Estimate) string {
	if math.IsInf(e.Low, 0) || math.IsInf(e.High, 0) {
		return Three(e.Centre)
	}
	return Three(e.Centre) + " (" + Three(e.Low) + " to " + Three(e.High) + ")"
}

// Change writes a ratio as what it changes: "18.2 % less".
func Change(ratio float64) string {
	if ratio < 1 {
		return percent(1-ratio) + " less"
	}
	return percent(ratio-1) + " more"
}

// Less judges the claim that a ratio is below limit.
func Less(ratio measure.Estimate, limit float64) Verdict {
	switch {
	case ratio.Below(limit):
		return Reproduced
	case ratio.Above(limit):
		return NotReproduced
	default:
		return Undecided
	}
}

// More judges the claim that a ratio is above limit.
func More(ratio measure.Estimate, limit float64) Verdict {
	switch {
	case ratio.Above(limit):
		return Reproduced
	case ratio.Below(limit):
		return NotReproduced
	default:
		return Undecided
	}
}

// Near judges the claim that a time is article, which was measured on another machine: within a factor of two.
func Near(here, article float64) Verdict {
	if here > article/2 && here < article*2 {
		return Reproduced
	}
	return NotReproduced
}
