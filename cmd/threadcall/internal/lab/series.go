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

// String writes a ratio with its interval: "0.82 (0.80 to 0.85)".
func (e estimate) String() string {
	return ui.Number(e.centre) + " (" + ui.Number(e.low) + " to " + ui.Number(e.high) + ")"
}

// A claim is a statement of an article next to what was found.
type claim struct {
	says, here string
	verdict    verdict
}

type verdict string

const (
	reproduced    verdict = "reproduced"
	changed       verdict = "changed"
	notReproduced verdict = "not reproduced"
	inconclusive  verdict = "inconclusive"
	notComparable verdict = "not comparable"
)

// below judges the claim that the estimate is below limit.
func (e estimate) below(limit float64) verdict {
	switch {
	case e.high < limit:
		return reproduced
	case e.low > limit:
		return notReproduced
	}
	return inconclusive
}

// above judges the claim that the estimate is above limit.
func (e estimate) above(limit float64) verdict {
	return estimate{-e.centre, -e.high, -e.low}.below(-limit)
}

// holds is reproduced if ok.
func holds(ok bool) verdict {
	if ok {
		return reproduced
	}
	return notReproduced
}

// near judges the claim that a time is as in the article, which used another machine: within a factor of two.
func near(here, article float64) verdict { return holds(here > article/2 && here < article*2) }

// same judges a number that does not depend on the machine's speed.
func same(here, article float64) verdict {
	if math.Round(here) == article {
		return reproduced
	}
	return changed
}
