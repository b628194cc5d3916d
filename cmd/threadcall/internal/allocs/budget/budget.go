// Package budget checks functions that promise not to allocate. The promise is a line of the function's doc comment,
//
//	//threadcall:noalloc
//
// and it is kept if the compiler puts nothing on the heap within the function, inlined callees included, if no benchmark
// sees it allocate, callees included, and if some benchmark runs it at all.
//
// A line that is to allocate, because it is a cold path, has the reason at its end or in the line before:
//
//	c := new(call) //threadcall:alloc the first time only
package budget

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// Limit is how many objects an operation may allocate and count as none: a hundredth, because the runtime's own caches
// miss at times.
const Limit = 0.01

// A Check is what is found out about all functions.
type Check struct {
	Functions []*Function `json:"functions"`
	Excuses   []*Excuse   `json:"excuses"`
	Runs      []string    `json:"runs"` // benchmarks that were looked at

	imports map[string]map[string]bool // all that a package depends on
}

// A Function has promised not to allocate.
type Function struct {
	Package string    `json:"package"`
	Name    string    `json:"name"` // without the package: Get, (*Queue).Push
	File    string    `json:"file"`
	Line    int       `json:"line"`
	Reached bool      `json:"reached"` // by a benchmark
	Broken  []Problem `json:"broken,omitempty"`

	from, to place // of its signature, with the receiver, and body
	name     place // where the compiler puts the wrappers that it makes of a generic one, in which it is inlined
}

// A Problem is an allocation of a function that promised none.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Run    string `json:"run,omitempty"` // the benchmark that saw it; empty if the compiler did
}

// An Excuse is a line that is allowed to allocate.
type Excuse struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Used   bool   `json:"used"` // the compiler or a benchmark saw it allocate
}

// A place is a line and a column in bytes.
type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// OK reports whether all promises are kept.
func (c *Check) OK() bool {
	return !slices.ContainsFunc(c.Functions, func(f *Function) bool { return !f.Reached || len(f.Broken) > 0 })
}

// Packages returns the import paths of packages with promises.
func (c *Check) Packages() []string {
	var paths []string
	for _, f := range c.Functions {
		paths = append(paths, f.Package)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Compiler looks for promises that the compiler's log contradicts.
func (c *Check) Compiler(log *escape.Log) error {
	sources, reported := source{}, map[escape.Position]bool{}
	for _, f := range c.Functions {
		if lost := log.Lost(f.Package, f.File); lost != "" {
			return fmt.Errorf("the promises in %s cannot be checked: %s; move these functions to another file", f.File, lost)
		}
	}
	for _, e := range log.All() {
		f := c.around(e.Outermost())
		if f == nil {
			continue
		}
		harmless, err := sources.harmless(e)
		if err != nil {
			return err
		}
		if harmless || slices.ContainsFunc(e.Path, func(p escape.Position) bool { return c.excuse(p.File, p.Line) }) {
			continue
		}
		if at := e.Outermost(); !reported[at] { // once, not for each type argument of a generic function
			reported[at] = true
			f.broken(Problem{File: at.File, Line: at.Line, Reason: e.String()})
		}
	}
	return nil
}

func (f *Function) broken(p Problem) {
	if !slices.Contains(f.Broken, p) {
		f.Broken = append(f.Broken, p)
	}
}

// around returns the function that the position is in.
func (c *Check) around(p escape.Position) *Function {
	at := place{p.Line, p.Column}
	for _, f := range c.Functions {
		if f.File == p.File && !at.before(f.from) && at.before(f.to) && at != f.name {
			return f
		}
	}
	return nil
}

func (c *Check) excuse(file string, line int) bool {
	for _, e := range c.Excuses {
		if e.File == file && e.Line == line {
			e.Used = true
			return true
		}
	}
	return false
}

// Benchmark looks for promises that a benchmark breaks: a function that it sees allocating, or calling what allocates.
// What a function that was handed in allocates is not its caller's.
func (c *Check) Benchmark(name string, s heap.Samples) {
	c.Runs = append(c.Runs, name)
	type blame struct {
		f    *Function
		site heap.Frame
	}
	seen := map[blame]float64{}
	var order []blame
	for _, sample := range s.Samples {
		if len(sample.Stack) == 0 {
			continue
		}
		site := sample.Stack.Site()
		if f := c.blamed(sample.Stack[site:]); f != nil {
			b := blame{f, sample.Stack[site]}
			if _, known := seen[b]; !known {
				order = append(order, b)
			}
			seen[b] += sample.Each.Objects
		}
	}
	for _, b := range order {
		if n := seen[b]; n >= Limit && !s.ByChance(n) {
			b.f.broken(Problem{File: b.site.File, Line: b.site.Line, Run: name,
				Reason: fmt.Sprintf("%s allocates %.3g objects an operation", symbol.Short(b.site.Function), n)})
		}
	}
}

// blamed returns the innermost function on the stack that has promised, if it was called to do what it did.
func (c *Check) blamed(stack heap.Stack) *Function {
	inner := stack[0].Package()
	for _, frame := range stack {
		if strings.HasSuffix(frame.File, "_test.go") || c.excuse(frame.File, frame.Line) {
			return nil
		}
		outer := frame.Package()
		if deps := c.imports[outer]; inner != outer && deps != nil && !deps[inner] {
			return nil // cannot know what it has called: it was given it
		}
		for _, f := range c.Functions {
			if f.File == frame.File && f.from.line <= frame.Line && frame.Line <= f.to.line {
				return f
			}
		}
		inner = outer
	}
	return nil
}

// Coverage takes the text of a coverage profile, and learns which functions were reached.
func (c *Check) Coverage(profile string) {
	for line := range strings.Lines(profile) {
		file, rest, found := strings.Cut(strings.TrimSpace(line), ".go:")
		var l0, c0, l1, c1, statements, count int
		if n, _ := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &l0, &c0, &l1, &c1, &statements, &count); !found || n != 6 || count == 0 {
			continue
		}
		for _, f := range c.Functions {
			if f.Package+"/"+strings.TrimSuffix(filepath.Base(f.File), ".go") == file &&
				!(place{l0, c0}).before(f.from) && (place{l0, c0}).before(f.to) {
				f.Reached = true
			}
		}
	}
}
