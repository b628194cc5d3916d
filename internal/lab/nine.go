package main

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
	"github.com/threadcall/threadcall/internal/lab/work"
)

// articleTraces is the article's table of its two traces.
var articleTraces = map[string][]string{
	goroutinesRow: {"41", "406,965"},
	heapRow:       {"10", "197,549"},
	threadsRow:    {"15", "12,943"},
	sweepsRow:     {"0", "193,094"},
	stopsRow:      {"0", "397"},
}

// A nineResult compares a struct that is copied with one that is pointed to.
type nineResult struct{ variantsResult }

// measureNine makes as many structs as the article's tests do.
func measureNine(l *lab) (nineResult, error) {
	r, err := measureVariants(l, "A struct", []variant{
		{name: "copied", job: "copied", work: work.Copied, ns: 5.20},
		{name: "pointed to", job: "pointed", work: work.Pointed, ns: 52.6, cost: cost{80, 1}},
	}, l.creations, func(c []measure.Contender) ([]measure.Series, error) { return l.roundsOf(l.creations, c) })
	return nineResult{r}, err
}

func (r nineResult) about() string {
	return paper.Wrap(fmt.Sprintf("A function that is not inlined makes a struct of three ints, three strings and three bools, and returns it or a pointer to it, %s times, as the tests of %s "+
		"do that were traced there.", paper.Whole(r.traced), understanding))
}

func (r nineResult) picture() picture.Picture {
	return picture.Picture{Title: "A struct of nine fields", Panels: []picture.Panel{r.panel("nanoseconds to make one")}}
}

func (r nineResult) traces() string {
	return r.traceTable(articleTraces) + "\n" + paper.Wrap("The article's numbers are neither goroutines nor bytes nor threads: its tests start no goroutine. They look like "+
		"the numbers of events that the trace viewer counts under these names, so that they tell how much went on. For the first three, the same names have other "+
		"things here; *bgsweep, executions* and *STW, how often* are what comes close to the last two.")
}

func (r nineResult) claims() []paper.Claim {
	return append(r.pointerCosts(0, 1), r.longer(), r.stops())
}

// longer judges the ratio of the article's two tests, which were timed as a whole and with tracing on.
func (r nineResult) longer() paper.Claim {
	ratio := r.series[1].Over(r.series[0])
	c := paper.Claim{
		Says:    "20,000,000 times, the test takes 0.281 s copied and 2.224 s pointed to, 7.9 times as long",
		Here:    fmt.Sprintf("%s times, %s and %s, %s times as long", paper.Whole(r.traced), paper.Time(r.series[0].Median().Centre*float64(r.traced)), paper.Time(r.series[1].Median().Centre*float64(r.traced)), paper.Ratio(ratio)),
		Verdict: paper.More(ratio, 1),
	}
	if c.Verdict == paper.Reproduced {
		c.Why = "in that it takes longer"
	}
	return c
}

func (r nineResult) stops() paper.Claim {
	copied, pointed := r.variants[0].trace.Stops.All.N, r.variants[1].trace.Stops.All.N
	c := paper.Claim{
		Says:    "the world is stopped 397 times with the pointer, never with the copy",
		Here:    fmt.Sprintf("%s and %s times", paper.Whole(pointed), paper.Whole(copied)),
		Verdict: paper.Reproduced,
	}
	switch {
	case pointed <= copied:
		c.Verdict = paper.NotReproduced
	case pointed < 397/2:
		c.Why = "in that it is stopped more often, but less often than in the article"
	case pointed > 397*2:
		c.Why = "in that it is stopped more often, and more often than in the article"
	}
	return c
}

func (r nineResult) conclusion() string {
	all := func(i int) string { return paper.Time(r.series[i].Median().Centre * float64(r.traced)) }
	s := []string{fmt.Sprintf("%s of them took %s copied and %s pointed to.", paper.Whole(r.traced), all(0), all(1))}
	switch ratio := r.series[1].Over(r.series[0]); {
	case ratio.Above(1):
		s = append(s, fmt.Sprintf("Copying 75 B is cheaper than finding them a place on the heap, by a factor of %s; the article's factor is 10.1.", paper.Ratio(ratio)), r.collectorText(0, 1))
	case ratio.Below(1):
		s = append(s, fmt.Sprintf("Here the pointer is faster (%s of the time).", paper.Ratio(ratio)))
	default:
		s = append(s, fmt.Sprintf("This run cannot tell which is faster (%s).", paper.Ratio(ratio)))
	}
	return paper.Wrap(strings.Join(s, " "))
}
