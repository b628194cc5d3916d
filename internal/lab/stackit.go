package main

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
	"github.com/threadcall/threadcall/internal/lab/work"
)

// A stackitResult compares ways to give an int back.
type stackitResult struct{ variantsResult }

// measureStackit compares the article's stackIt, stackIt2 and stackIt3.
func measureStackit(l *lab) (stackitResult, error) {
	r, err := measureVariants(l, "An int", []variant{
		{name: "by value", job: "value", work: work.ByValue, ns: 1.52},
		{name: "by returned pointer", job: "returned", work: work.ByReturnedPointer, ns: 16.0, cost: cost{8, 1}},
		{name: "by passed pointer", job: "passed", work: work.ByPassedPointer, ns: 1.62},
	}, l.settings.calls, l.rounds)
	return stackitResult{r}, err
}

func (stackitResult) about() string {
	return paper.Wrap("A function that doubles an int and is not inlined gives it back as it is, as a pointer to a local variable, or is given a pointer to its caller's. " +
		understanding + " calls them stackIt, stackIt2 and stackIt3, and shows from them that pointers that go up are allocated, and those that go down are not. " +
		"It has no traces of this.")
}

func (r stackitResult) picture() picture.Picture {
	return picture.Picture{Title: "An int", Panels: []picture.Panel{r.panel("nanoseconds a call")}}
}

func (r stackitResult) traces() string { return r.traceTable(nil) }

func (r stackitResult) claims() []paper.Claim {
	down := r.series[2].Over(r.series[0])
	return append(r.pointerCosts(0, 1),
		exactly("a pointer that is passed down costs no allocation", 0, r.variants[2].here.bytes, "B", ""),
		paper.Claim{
			Says:    fmt.Sprintf("and takes about as long as the value, %.2f times", 1.62/1.52),
			Here:    paper.Ratio(down) + " times",
			Verdict: paper.Less(down, 2),
		})
}

func (r stackitResult) conclusion() string {
	var s []string
	up, value := r.series[1].Median(), r.series[0].Median()
	switch ratio := r.series[1].Over(r.series[0]); {
	case ratio.Above(1):
		s = append(s, fmt.Sprintf("A pointer that is returned takes %s more than the value, %s instead of %s.",
			paper.Time(up.Centre-value.Centre), paper.Time(up.Centre), paper.Time(value.Centre)))
		s = append(s, r.collectorText(0, 1))
	default:
		s = append(s, fmt.Sprintf("This run could not see that returning a pointer takes longer (%s times).", paper.Ratio(ratio)))
	}
	if r.variants[1].here.bytes < 12 && r.variants[1].here.allocs > 0.5 {
		s = append(s, "The 8 B are no size class: the allocator puts two such ints, which hold no pointers, into one block of 16 B.")
	}
	return paper.Wrap(strings.Join(s, " "))
}
