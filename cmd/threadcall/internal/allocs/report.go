// Package allocs finds what allocates: where, how much for each operation, and the compiler's reason.
//
// Tests are compiled so that they leave a profile of everything that they allocate. Package heap divides two of those into
// what each operation allocates and what is allocated once, escape reads the compiler's reasons, and package allocs joins
// them. Package budget checks functions that promise not to allocate.
package allocs

import (
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

// A Report is what was found out. Amounts are of benchmarks for each operation; else of the whole run.
type Report struct {
	Go       string    `json:"go"`
	Packages []string  `json:"packages,omitempty"` // whose tests or benchmarks ran
	Asked    []string  `json:"asked"`              // packages whose reasons the compiler was asked for
	Runs     []Run     `json:"runs"`
	Failures []Failure `json:"failures,omitempty"`
	Notes    []string  `json:"notes,omitempty"` // what was left out, and why

	Budget *budget.Check `json:"budget,omitempty"` // promises, if they were to be checked
}

// A Failure is something that did not run to its end. What else ran is reported.
type Failure struct {
	Package string `json:"package"`
	Name    string `json:"name,omitempty"` // of the benchmark
	Problem string `json:"problem"`
	Output  string `json:"output,omitempty"`
}

// A Run is one benchmark, or the tests of one package.
type Run struct {
	Package    string `json:"package,omitempty"`
	Name       string `json:"name"`
	Operations []int  `json:"operations,omitempty"` // of the shorter and the longer run of a benchmark; both do one more before
	PerOp      bool   `json:"perOp"`                // amounts are for each operation

	Seconds float64        `json:"seconds"`
	Procs   int            `json:"procs"`
	Total   heap.Amount    `json:"total"`   // what the profile has, the rows together
	Counted heap.Amount    `json:"counted"` // what the runtime has counted, everything included
	Once    heap.Amount    `json:"once"`    // by a benchmark, independent of the number of operations
	Rows    []Row          `json:"rows"`    // the largest first
	Outside []heap.Outside `json:"outside"` // memory that is not of the heap, and so in no row
	GCs     uint32         `json:"gcs"`

	Headline     *Headline   `json:"headline,omitempty"` // of a benchmark: what go test -benchmem prints
	Measured     Interval    `json:"measured"`           // of a benchmark: objects that the runtime counted for each operation, in several pairs of runs
	Unattributed heap.Amount `json:"unattributed"`       // of the headline, what is in no place's row

	profile     heap.Samples
	repetitions []heap.Samples // of which profile is one
}

// A Row is one place that allocates one kind of thing.
type Row struct {
	Where   heap.Frame      `json:"where"`   // the innermost function that is not of the standard library; where the source is the reader's
	Site    heap.Frame      `json:"site"`    // the function that allocates, the runtime apart; often the same
	Runtime string          `json:"runtime"` // the runtime's function that it has called
	Kind    string          `json:"kind"`    // "new", "append", "channel", "sudog"
	Sizes   []int64         `json:"sizes"`   // of the objects, in bytes as allocated
	Amount  heap.Amount     `json:"amount"`
	Rate    heap.Amount     `json:"rate"`             // a second, of tests
	Once    heap.Amount     `json:"once"`             // of a benchmark: independent of the number of operations
	Live    heap.Amount     `json:"live"`             // still in use at the end
	Shared  bool            `json:"shared,omitempty"` // blocks in which tiny objects share room are counted: there may be more objects
	Why     string          `json:"why"`              // one sentence
	Escapes []escape.Escape `json:"escapes,omitempty"`
	Stacks  []Stack         `json:"stacks"` // the largest first, at most ten
	Source  []Line          `json:"source,omitempty"`
}

// A Stack is one way to the place.
type Stack struct {
	Amount heap.Amount `json:"amount"`
	Frames heap.Stack  `json:"frames"`
}

// A Line is of the source around a row's place.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}
