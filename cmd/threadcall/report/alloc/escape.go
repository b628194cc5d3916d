package alloc

import (
	"regexp"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

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
