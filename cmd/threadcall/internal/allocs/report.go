package allocs

import (
	"fmt"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

// A Report is what was found out, and the JSON document. Amounts of benchmarks are for each
// operation; others are of the whole run.
type Report struct {
	Go       string    `json:"go"`
	Packages []string  `json:"packages,omitempty"` // whose tests or benchmarks ran
	Asked    []string  `json:"asked"`              // packages whose reasons the compiler was asked for
	Runs     []Run     `json:"runs"`
	Failures []Failure `json:"failures,omitempty"`
	Notes    []string  `json:"notes,omitempty"` // what was left out, and why

	Budget *budget.Check `json:"budget,omitempty"` // promises, if they were to be checked

	std func(path string) bool // reports whether a package is of the standard library
}

// A Failure is something that did not run to its end. What else ran is reported.
type Failure struct {
	Package string `json:"package"`
	Name    string `json:"name,omitempty"` // of the benchmark
	Problem string `json:"problem"`
	Output  string `json:"output,omitempty"`
}

// A Run is one benchmark. Amounts are for each operation.
type Run struct {
	Package    string `json:"package,omitempty"`
	Name       string `json:"name"`
	Operations []int  `json:"operations"` // of the shorter and the longer run

	Headline     *Headline   `json:"headline,omitempty"`
	Measured     Interval    `json:"measured"`     // of Counted.Objects, in several pairs of runs
	Total        heap.Amount `json:"total"`        // what the profile has, the rows together
	Unattributed heap.Amount `json:"unattributed"` // of the headline, what is in no place's row
	Counted      heap.Amount `json:"counted"`      // by the runtime, everything included
	Once         heap.Amount `json:"once"`         // by a benchmark, independent of the operations
	Rows         []Row       `json:"rows"`         // the largest first

	profile     heap.Samples
	repetitions []heap.Samples // of which profile is one
}

// A Headline is what go test -benchmem prints for a benchmark, by runs without a profile.
type Headline struct {
	Bytes  Interval `json:"bytes"`
	Allocs Interval `json:"allocs"`
	Runs   int      `json:"runs"`
	N      int      `json:"n"` // operations of the last of them
}

// An Interval is of the same figure in several runs.
type Interval struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

func interval(values []float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	values = slices.Sorted(slices.Values(values))
	return Interval{values[0], values[len(values)/2], values[len(values)-1]}
}

// Stable reports whether all runs had the same.
func (i Interval) Stable() bool { return i.Low == i.High }

// String is the figure, or where it lies.
func (i Interval) String() string {
	if i.Stable() {
		return fmt.Sprintf("%.0f", i.Median)
	}
	return fmt.Sprintf("%.0f (%.0f to %.0f)", i.Median, i.Low, i.High)
}

// A Row is one place that allocates one kind of thing.
type Row struct {
	// Where is the innermost function that is not of the standard library; Site is the one that
	// allocates, often the same.
	Where heap.Frame `json:"where"`
	Site  heap.Frame `json:"site"`

	Kind    string          `json:"kind"`   // "new", "append", "channel", "sudog"
	Sizes   []int64         `json:"sizes"`  // of the objects, in bytes as allocated
	Amount  heap.Amount     `json:"amount"` // an operation, or of the whole run
	Once    heap.Amount     `json:"once"`   // of a benchmark: independent of the operations
	Why     string          `json:"why"`    // one sentence
	Escapes []escape.Escape `json:"escapes,omitempty"`
	Stacks  []Stack         `json:"stacks"` // the largest first, up to ten
	Source  string          `json:"source,omitempty"`
}

// A Stack is one way to the place.
type Stack struct {
	Amount heap.Amount `json:"amount"`
	Frames heap.Stack  `json:"frames"`
}
