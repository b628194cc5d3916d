// Package alloc has the JSON document of threadcall allocs.
package alloc

import (
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

// A Report is what was found out.
type Report struct {
	Go       string           `json:"go"`
	Packages []string         `json:"packages,omitempty"` // whose tests or benchmarks ran
	Asked    []string         `json:"asked"`              // whose reasons the compiler was asked for
	Runs     []Run            `json:"runs"`
	Failures []report.Failure `json:"failures,omitempty"`

	Budget *Budget `json:"budget,omitempty"` // promises, if they were to be checked
}

// A Run is one benchmark. Amounts are for each operation.
type Run struct {
	Package    string `json:"package,omitempty"`
	Name       string `json:"name"`
	Operations []int  `json:"operations"` // of the shorter and the longer run

	Total   Amount `json:"total"`   // what the profile has, the rows together
	Counted Amount `json:"counted"` // by the runtime, everything included
	Rows    []Row  `json:"rows"`    // the largest first
}

// A Place allocates one kind of thing.
type Place struct {
	Where Frame  `json:"where"` // the innermost function that is not of the standard library
	Site  Frame  `json:"site"`  // the function that allocates, often the same
	Kind  string `json:"kind"`  // "new", "append", "channel", "sudog"
}

// A Row is what was allocated at a place.
type Row struct {
	Place
	Sizes   []int64  `json:"sizes"`  // of the objects, in bytes as allocated
	Amount  Amount   `json:"amount"` // an operation
	Why     string   `json:"why"`    // one sentence
	Escapes []Escape `json:"escapes,omitempty"`
	Stacks  []Stack  `json:"stacks"` // the largest first, up to ten
}

// A Stack is one way to the place.
type Stack struct {
	Amount Amount  `json:"amount"`
	Frames []Frame `json:"frames"` // the innermost first
}

// An Amount is of objects and bytes of the heap.
type Amount struct {
	Objects float64 `json:"objects"`
	Bytes   float64 `json:"bytes"`
}

// String is the amount in words, "24 B and 1 object".
func (a Amount) String() string {
	return ui.Bytes(a.Bytes) + " and " + ui.Counted(a.Objects, "object", "objects")
}

// Plus returns the sum.
func (a Amount) Plus(b Amount) Amount { return Amount{a.Objects + b.Objects, a.Bytes + b.Bytes} }

// Per returns the difference to b for each of n operations.
func (a Amount) Per(n float64, b Amount) Amount {
	return Amount{(a.Objects - b.Objects) / n, (a.Bytes - b.Bytes) / n}
}

// A Frame is one function on a stack.
type Frame struct {
	Function string `json:"function"`
	report.Position
	Inlined  bool `json:"inlined,omitempty"`  // into the next frame of the stack
	Standard bool `json:"standard,omitempty"` // of the standard library
}

// Package returns the import path of the function's package.
func (f Frame) Package() string { return symbol.Package(f.Function) }

// OfRuntime reports whether the function is the runtime's own, which may have the name of another
// package, such as reflect.unsafe_New.
func (f Frame) OfRuntime() bool {
	return f.Standard && (strings.Contains(f.File, "/src/runtime/") ||
		strings.Contains(f.File, "/src/internal/runtime/"))
}

// OfCgo reports whether the function was written by cgo, for calls between Go and C.
func (f Frame) OfCgo() bool {
	base := f.File[strings.LastIndexByte(f.File, '/')+1:]
	return base == "_cgo_gotypes.go" || base == "_cgo_export.go" ||
		strings.Contains(f.Function, "._Cfunc_") || strings.Contains(f.Function, "_cgoexp_")
}

// A Budget has the functions that promise not to allocate.
type Budget struct {
	Functions []*Function `json:"functions"`
	Excuses   []*Excuse   `json:"excuses"`
	Runs      []string    `json:"runs"` // benchmarks that were looked at
}

// A Function has promised not to allocate.
type Function struct {
	report.Position
	Package string    `json:"package"`
	Name    string    `json:"name"`    // without the package: Get, (*Queue).Push
	To      int       `json:"to"`      // the last line
	Reached bool      `json:"reached"` // by a benchmark
	Broken  []Problem `json:"broken,omitempty"`
	Notes   []Problem `json:"notes,omitempty"` // what may allocate, and did not in the benchmarks
	Calls   []string  `json:"calls,omitempty"` // of functions that were only measured
}

// A Problem is an allocation of a function that promised none.
type Problem struct {
	report.Position
	Reason string `json:"reason"`
	Run    string `json:"run,omitempty"` // the benchmark; empty: the compiled code
}

// An Excuse is a line that is allowed to allocate.
type Excuse struct {
	report.Position
	Reason string `json:"reason"`
	Used   bool   `json:"used"` // the compiler or a benchmark saw it allocate
}

// OK reports whether all promises are kept, as far as was looked.
func (b *Budget) OK() bool {
	return !slices.ContainsFunc(b.Functions, func(f *Function) bool {
		return !f.Reached || len(f.Broken) > 0
	})
}

// Has reports whether the position is in a function.
func (f *Function) Has(p report.Position) bool {
	return f.File == p.File && f.Line <= p.Line && p.Line <= f.To
}
