package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"golang.org/x/perf/benchmath"
)

// A series is what was measured of one contender: nanoseconds of an operation, by round.
type series []float64

// An estimate is a median, and the bounds between which the true median is with a confidence of 95 % at least. It
// assumes nothing of the distribution.
type estimate struct{ centre, low, high float64 }

// leastRounds is with how many rounds a median has such bounds.
const leastRounds = 6

func (s series) median() estimate {
	e := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(s), &benchmath.DefaultThresholds), 0.95)
	return estimate{e.Center, e.Lo, e.Hi}
}

// over estimates the ratio of s to t, from the ratios of the rounds.
func (s series) over(t series) estimate {
	ratios := make(series, min(len(s), len(t)))
	for i := range ratios {
		ratios[i] = s[i] / t[i]
	}
	return ratios.median()
}

// time writes a time with its interval: "366 ns ± 2 %".
func (e estimate) time() string {
	share := max(e.high-e.centre, e.centre-e.low) / e.centre
	if math.IsInf(share, 0) || math.IsNaN(share) {
		return duration(e.centre)
	}
	return fmt.Sprintf("%s ± %s %%", duration(e.centre), ui.Number(math.Round(1000*share)/10))
}

// times, with a factor, is the estimate in another unit.
func (e estimate) times(x float64) estimate { return estimate{e.centre * x, e.low * x, e.high * x} }

// String writes a ratio with its interval: "0.82 (0.80 to 0.85)".
func (e estimate) String() string {
	return ui.Number(e.centre) + " (" + ui.Number(e.low) + " to " + ui.Number(e.high) + ")"
}
