package allocs

import (
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

	Budget *budget.Check `json:"budget,omitempty"` // promises, if they were to be checked
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

	Total   heap.Amount `json:"total"`   // what the profile has, the rows together
	Counted heap.Amount `json:"counted"` // by the runtime, everything included
	Rows    []Row       `json:"rows"`    // the largest first

	profile     heap.Samples
	repetitions []heap.Samples // of which profile is one
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
	Why     string          `json:"why"`    // one sentence
	Escapes []escape.Escape `json:"escapes,omitempty"`
	Stacks  []Stack         `json:"stacks"` // the largest first, up to ten

	cached bool   // from what the runtime, or a sync.Pool, keeps for all goroutines
	limit  string // up to which it is on the stack, if it does not escape
}

// A Stack is one way to the place.
type Stack struct {
	Amount heap.Amount `json:"amount"`
	Frames heap.Stack  `json:"frames"`
}
