// Package budget checks functions that promise not to allocate, by a line //threadcall:noalloc of
// their doc comments. docs/allocs.md says when such a promise is kept, and how a line is excused.
package budget

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// An operation may allocate so many objects and count as one that allocates none: a hundredth of
// one object, and half of one for memory from a cache that goroutines share, which is sometimes
// empty for reasons outside of the function.
const (
	threshold = 0.01
	missing   = 0.5
)

// A Check is what is found out about all functions.
type Check struct {
	alloc.Budget
	Generic bool // some promise is of a generic function, which others compile with their own types

	imports  map[string]map[string]bool // all that a package depends on
	standard map[string]bool            // packages of the standard library
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

// note adds a problem to a list.
func note(list *[]alloc.Problem, p alloc.Problem) {
	if !slices.Contains(*list, p) {
		*list = append(*list, p)
	}
}

func (c *Check) excuse(at report.Position) bool {
	for _, e := range c.Excuses {
		if e.Position == at {
			e.Used = true
			return true
		}
	}
	return false
}

// Covered takes the profiles that go test -coverprofile writes: which functions were called.
func (c *Check) Covered(profiles []*cover.Profile) {
	for _, p := range profiles {
		for _, f := range c.Functions {
			f.Reached = f.Reached || f.Package+"/"+filepath.Base(f.File) == p.FileName &&
				slices.ContainsFunc(p.Blocks, func(b cover.ProfileBlock) bool {
					return b.Count > 0 && f.Line <= b.StartLine && b.StartLine <= f.To
				})
		}
	}
}

// Suspects reports whether the measurement would break a promise.
func (c *Check) Suspects(s heap.Samples) bool { return len(c.blames(s)) > 0 }

// A blame is an allocation that a function has to answer for.
type blame struct {
	f      *alloc.Function
	site   alloc.Frame
	cached bool
}

// blames returns what breaks promises, and how many objects an operation.
func (c *Check) blames(s heap.Samples) map[blame]float64 {
	amounts := map[blame]float64{}
	for _, sample := range s.Samples {
		if len(sample.Stack) == 0 {
			continue
		}
		site := sample.Stack.Site()
		if f, at := c.blamed(sample.Stack[site:]); f != nil {
			b := blame{f, sample.Stack[site], sample.Stack[:site+at].OfCache()}
			amounts[b] += sample.Each.Objects
		}
	}
	maps.DeleteFunc(amounts, func(b blame, n float64) bool {
		return n < threshold || b.cached && n < missing || s.ByChance(n)
	})
	return amounts
}

// Benchmark looks for promises that a benchmark breaks: a function that allocates in each of the
// repetitions, or calls what does. What a function that was handed in allocates is not its
// caller's.
func (c *Check) Benchmark(name string, repetitions []heap.Samples) {
	c.Runs = append(c.Runs, name)
	least := c.blames(repetitions[0])
	for _, s := range repetitions[1:] {
		amounts := c.blames(s)
		for b, n := range least {
			if least[b] = min(n, amounts[b]); least[b] == 0 {
				delete(least, b)
			}
		}
	}
	for _, b := range slices.SortedFunc(maps.Keys(least), func(a, b blame) int {
		return cmp.Or(cmp.Compare(a.site.File, b.site.File), cmp.Compare(a.site.Line, b.site.Line),
			cmp.Compare(a.site.Function, b.site.Function))
	}) {
		note(&b.f.Broken, alloc.Problem{Position: b.site.Position, Run: name,
			Reason: fmt.Sprintf("%s allocates %s an operation", symbol.Short(b.site.Function),
				ui.Counted(least[b], "object", "objects"))})
	}
}

// blamed returns the innermost function on the stack that has promised, if it was called to do what
// it did, and which frame that is.
func (c *Check) blamed(stack heap.Stack) (*alloc.Function, int) {
	inner := stack[0].Package()
	for i, frame := range stack {
		if strings.HasSuffix(frame.File, "_test.go") || c.excuse(frame.Position) {
			return nil, 0
		}
		outer := frame.Package()
		if deps := c.imports[outer]; inner != outer && deps != nil && !deps[inner] {
			return nil, 0 // cannot know what it has called: it was given it
		}
		if f := c.at(frame.Position); f != nil {
			return f, i
		}
		inner = outer
	}
	return nil, 0
}
