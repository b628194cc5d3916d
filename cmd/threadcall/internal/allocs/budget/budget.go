// Package budget checks functions that promise not to allocate, by a line //threadcall:noalloc of
// their doc comments. docs/allocs.md says when such a promise is kept, and how a line is excused.
package budget

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// A Check is what is found out about all functions.
type Check struct {
	alloc.Budget
	packages map[string]gotest.Package // by import path
}

// Packages returns the import paths of packages with promises.
func (c *Check) Packages() []string {
	paths := map[string]bool{}
	for _, f := range c.Functions {
		paths[f.Package] = true
	}
	return slices.Sorted(maps.Keys(paths))
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
		site := sample.Stack.Site()
		if f, at := c.blamed(sample.Stack[site:]); f != nil {
			b := blame{f, sample.Stack[site], sample.Stack[:site+at].OfCache()}
			amounts[b] += sample.Each.Objects
		}
	}
	maps.DeleteFunc(amounts, func(b blame, n float64) bool {
		return heap.Negligible(n, b.cached) || s.ByChance(n)
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
		p, known := c.packages[outer]
		if known && inner != outer && !slices.Contains(p.Deps, inner) {
			return nil, 0 // cannot know what it has called: it was given it
		}
		if f := c.at(frame.Position); f != nil {
			return f, i
		}
		inner = outer
	}
	return nil, 0
}

const (
	tool    = "threadcall"
	promise = "//threadcall:noalloc"
	excuse  = "//threadcall:alloc"
)

// Find finds the promises in the packages that were named, and the excuses in all outside the
// standard library. Those in wrong places are an error.
func Find(all []gotest.Package) (*Check, error) {
	c := &Check{packages: map[string]gotest.Package{}}
	var wrong []error
	for _, p := range all {
		if c.packages[p.ImportPath] = p; p.Standard {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			if err := c.read(p, filepath.Join(p.Dir, name)); err != nil {
				wrong = append(wrong, err)
			}
		}
		if p.DepOnly {
			continue
		}
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			tests := &Check{}
			_ = tests.read(p, filepath.Join(p.Dir, name)) // the compiler reports what is not Go
			for _, f := range tests.Functions {
				wrong = append(wrong, fmt.Errorf("%s:%d: %s promises in a test file, where nothing is checked",
					f.File, f.Line, f.Name))
			}
		}
	}
	return c, errors.Join(wrong...)
}

// read finds the promises and excuses of one file.
func (c *Check) read(p gotest.Package, file string) error {
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("threadcall:")) {
		return err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	promises := map[token.Pos]bool{}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			at := files.Position(comment.Pos())
			d, _ := ast.ParseDirective(comment.Pos(), comment.Text)
			if d.Tool != tool {
				word, _, _ := strings.Cut(strings.TrimLeft(comment.Text, "/ \t"), " ")
				if "//"+word == promise || "//"+word == excuse {
					return fmt.Errorf("%s: there must be no blank between // and %s, or it has no effect", at,
						word)
				}
				continue
			}
			switch "//" + d.Tool + ":" + d.Name {
			case promise:
				if promises[comment.Pos()] = true; d.Args != "" {
					return fmt.Errorf("%s: %s has no condition: excuse the line that allocates with %s", at,
						promise, excuse)
				}
			case excuse:
				if d.Args == "" {
					return fmt.Errorf("%s: %s needs a reason", at, excuse)
				}
				if before := text[at.Offset-at.Column+1 : at.Offset]; len(bytes.TrimSpace(before)) == 0 {
					at.Line++ // it has a line of its own
				}
				c.Excuses = append(c.Excuses, &alloc.Excuse{Position: report.Position{File: file,
					Line: at.Line}, Reason: d.Args})
			case "//threadcall:on", "//threadcall:runs", "//threadcall:ignore": // of threadcall vet
			default:
				return fmt.Errorf("%s: //%s:%s is neither %s nor %s", at, tool, d.Name, promise, excuse)
			}
		}
	}
	line := func(p token.Pos) int { return files.Position(p).Line }
	for _, d := range parsed.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil || fn.Body == nil {
			continue
		}
		for _, comment := range fn.Doc.List {
			promised := promises[comment.Pos()]
			delete(promises, comment.Pos())
			if !promised || p.DepOnly {
				continue
			}
			c.Functions = append(c.Functions, &alloc.Function{Package: p.ImportPath, Name: name(fn),
				Position: report.Position{File: file, Line: line(fn.Name.Pos())}, To: line(fn.Body.End())})
		}
	}
	for at := range promises {
		return fmt.Errorf("%s: %s is not in the doc comment of a function with a body",
			files.Position(at), promise)
	}
	return nil
}

// name is that of the function as stacks have it, without type parameters.
func name(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver, _, _ := strings.Cut(types.ExprString(fn.Recv.List[0].Type), "[")
	if strings.HasPrefix(receiver, "*") {
		receiver = "(" + receiver + ")"
	}
	return receiver + "." + fn.Name.Name
}
