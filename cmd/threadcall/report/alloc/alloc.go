// Package alloc has the JSON document of threadcall allocs.
package alloc

import (
	"regexp"
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

// Per returns the amount for each of n operations.
func (a Amount) Per(n int) Amount { return Amount{a.Objects / float64(n), a.Bytes / float64(n)} }

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

// An Escape is one thing that the compiler puts on the heap.
type Escape struct {
	What string `json:"what"` // as the compiler writes it: "func literal", "make([]byte, n)"

	// Where the thing is made. There is more than one position if it is in an inlined function: the
	// outermost call first, then each call inside, and last the place itself.
	Path []report.Position `json:"path"`

	// Flow is how the thing comes to live longer than its function, in steps.
	Flow []Step `json:"flow"`
}

// A Step is one of the compiler's observations on the way to the heap.
type Step struct {
	// Into is where the value flows: a variable, "{heap}", "~r0" for a result. Only first steps
	// have it.
	Into  string          `json:"into,omitempty"`
	Where string          `json:"where"` // the expression or statement, as the compiler writes it
	Why   string          `json:"why"`   // the compiler's term: "send", "return", "call parameter"
	At    report.Position `json:"at"`
}

// At is the innermost position.
func (e Escape) At() report.Position { return e.Path[len(e.Path)-1] }

// Outermost is the position in the function that was compiled.
func (e Escape) Outermost() report.Position { return e.Path[0] }

// The compiler writes a long string without its end.
var constantForm = regexp.MustCompile(
	`^("(\\.|[^"\\])*("|\.\.\.)|'(\\.|[^'\\])*'|-?[0-9][^ ]*|true|false)$`)

// Constant reports whether it is a literal constant. Those are in the program's read-only data: the
// compiler logs that they escape, but nothing is allocated.
func (e Escape) Constant() bool { return constantForm.MatchString(e.What) }

// words are what the compiler's words mean, where they do not say it.
var words = map[string]string{
	"send":                  "sent on a channel",
	"return":                "returned",
	"assign":                "assigned",
	"assign-pair":           "assigned",
	"call parameter":        "passed to a call",
	"callee operand":        "called",
	"reference":             "captured by a closure, which changes it",
	"interface-converted":   "put into an interface",
	"address-of":            "its address is taken",
	"slice-literal-element": "put into a slice",
	"key of map put":        "a key of a map",
	"range":                 "ranged over",
	"dot":                   "a field of it is",
	"dot of pointer":        "a field of it is",
	"star-dot-equals":       "stored through a pointer",
	"star-equals":           "stored through a pointer",
}

// String describes the escape and its decisive step: "func literal escapes to heap: sent on a
// channel (ch <- (func literal) at x.go:12)".
func (e Escape) String() string {
	text := shorten(e.What) + " escapes to heap"
	last := -1
	for i, s := range e.Flow {
		if s.Why != "spill" && s.Why != "" {
			last = i
		}
	}
	if last < 0 {
		return text + ": it must outlive the statement, a go, or a defer in a loop"
	}
	s := e.Flow[last]
	why, known := words[s.Why]
	if !known {
		why = s.Why
	}
	text += ": " + why
	if s.Where != e.What {
		text += " (" + shorten(s.Where) + " at " + s.At.String() + ")"
	}
	if by := e.variables(last); by != "" {
		text += ", by way of " + by
	}
	return text
}

// variables are those that the thing passes before step last.
func (e Escape) variables(last int) string {
	var names []string
	for _, s := range e.Flow[:last] {
		if s.Into != "" && !strings.ContainsAny(s.Into, "{~.") && s.Into != e.What &&
			!slices.Contains(names, s.Into) {
			names = append(names, s.Into)
		}
	}
	if len(names) > 2 {
		names = append(names[:1], "others")
	}
	return strings.Join(names, " and ")
}

// Suits reports whether the thing is of the kind that a function of the runtime allocates:
// "append", "make", "map", "string", "interface" or "new".
func (e Escape) Suits(kind string) bool {
	begins := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(e.What, p) })
	}
	switch kind {
	case "append":
		return begins("append")
	case "make":
		return begins("make(") && !begins("make(map", "make(chan")
	case "map":
		return begins("make(map", "map[")
	case "string":
		return begins("string(", "([]byte)(", "([]rune)(") || strings.Contains(e.What, " + ")
	case "interface": // an expression that is neither a literal nor has its address taken
		return e.What != "func literal" && e.What != "... argument" && !begins("&", "new(", "append",
			"make(", "map[")
	case "new":
		return !begins("append", "make(map", "map[")
	}
	return false
}

var (
	paths = regexp.MustCompile(`([\w~.-]+/)+([\w~-]+\.)`)
	// shapes are type arguments, with brackets in brackets in them.
	shapes = regexp.MustCompile(`\[go\.shape\.(?:[^][]|\[(?:[^][]|\[[^][]*\])*\])*\]`)
)

// shorten leaves out what the compiler adds for itself: type arguments, which it writes as shapes,
// and import paths.
func shorten(text string) string {
	return paths.ReplaceAllString(shapes.ReplaceAllString(text, "[…]"), "$2")
}
