package threadvet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A funcFact is what other packages must know of a function.
type funcFact struct {
	On     string // the thread that it is marked with
	Needs  []need // of the functions that it calls
	Params []use  // what it does with its parameters; shorter if it does nothing with the last ones
	Runs   string // the thread that runs functions given to it, by a mark
	Inits  bool   // mentions what serves the main thread

	Effects []effect         // on the thread that calls it
	Returns map[int][]effect // of the functions that it returns, by result
}

// A need is a thread that a function must be called on.
type need struct {
	Thread  string
	What    string   // the function that needs it
	Path    []string // the functions that lead to it, innermost first: "draw (draw.go:12)"
	Library bool     // What is of a table, and does not itself lock the main goroutine
	NoTests bool     // tests may call What on their goroutines
	Fix     string   // the dispatcher of suggested fixes, or noFix; empty for package mainthread

	own bool // What is of this package, and has no package name
}

// noFix is for what no dispatcher calls.
const noFix = "-"

// A use is what a function does with a parameter that is a function.
type use struct {
	Kind   useKind
	Thread string // of onThread; empty if it is one that was made for the purpose
	How    string // for onThread and elsewhere: "which Group.Go runs on a goroutine"
	Later  bool   // does not wait for it
}

type useKind int

const (
	unknownUse useKind = iota // stored, or several of the others
	inPlace                   // called by the goroutine that calls the function
	onThread
	elsewhere // on a goroutine
)

// A varFact says which thread a variable or field holds, or what runs the functions that are stored
// in it.
type varFact struct{ Thread string }

// A packageFact holds for a package and those that it imports.
type packageFact struct {
	Locks    bool   // an init function locks the main goroutine
	Relevant bool   // calls to the package can matter
	Lacks    string // what a table asks for and an older release has not

	One, All string // calls that change the user of one thread, and of all
}

func (*funcFact) AFact()    {}
func (*varFact) AFact()     {}
func (*packageFact) AFact() {}

// threadName returns a thread in the words of a report.
func threadName(name string) string {
	switch name {
	case "":
		return "a thread of its own"
	case mainThread:
		return "the main thread"
	case lockedThread:
		return "a goroutine that runtime.LockOSThread has locked"
	case windowThread:
		return "the thread of the window"
	case unknownThread:
		return "a thread"
	}
	return "thread " + name
}

// exportFunctions exports what other packages must know.
func (c *checker) exportFunctions() {
	c.reachable()
	if c.pass.Pkg.Name() == "main" {
		return
	}
	for _, n := range c.nodes {
		if n.obj == nil || n.obj.Name() == "_" || n.obj.Name() == "init" {
			continue
		}
		f := funcFact{On: n.on, Runs: c.marks.runs[n.obj], Inits: n.inits}
		f.Effects = worthy(c.effectsOf(callee{node: n}, nil))
		for i := range n.fn.Signature.Results().Len() {
			if list := worthy(c.returns(n, i)); list != nil {
				if f.Returns == nil {
					f.Returns = map[int][]effect{}
				}
				f.Returns[i] = list
			}
		}
		if n.on == "" {
			for _, thread := range c.threads() {
				if thread == needNet || thread == needFiles {
					continue // what other packages do is not known to depend on namespaces
				}
				c.lead(n, thread, func(at found) bool {
					what := at.need.What
					if at.need.own {
						what = c.pass.Pkg.Name() + "." + what
					}
					f.Needs = append(f.Needs, need{Thread: thread, What: what, Path: c.qualified(at.path),
						Library: at.need.Library, NoTests: at.need.NoTests, Fix: at.need.Fix})
					return false
				})
			}
		}
		for i, u := range n.uses {
			if u.Kind != unknownUse {
				f.Params = append(f.Params, make([]use, i+1-len(f.Params))...)
				f.Params[i] = u
			}
		}
		if f.On != "" || f.Runs != "" || f.Inits ||
			len(f.Needs)+len(f.Params)+len(f.Effects)+len(f.Returns) > 0 {
			c.pass.ExportObjectFact(n.obj, &f)
		}
	}
	for obj, name := range c.marks.on {
		switch obj := obj.(type) {
		case *types.Func:
			if c.pkg.Prog.FuncValue(obj) == nil { // of an interface
				c.pass.ExportObjectFact(obj, &funcFact{On: name})
			}
		case *types.TypeName:
			if i, ok := obj.Type().Underlying().(*types.Interface); ok {
				for m := range i.ExplicitMethods() {
					c.pass.ExportObjectFact(m, &funcFact{On: c.markOf(m)})
				}
			}
		case *types.Var:
			if obj.IsField() || obj.Parent() == c.pass.Pkg.Scope() {
				c.pass.ExportObjectFact(obj, &varFact{name})
			}
		}
	}
	for v, values := range c.stores {
		if v.Pkg() != c.pass.Pkg || !v.Exported() || c.marks.on[v] != "" {
			continue
		}
		switch typeName(v.Type()) {
		case "Thread", "Loop", "Pool":
			if id := c.identify(&ssa.Phi{Edges: values}); id.name != "" {
				c.pass.ExportObjectFact(v, &varFact{id.name})
			}
		}
	}
}

// qualified returns a path as other packages see it.
func (c *checker) qualified(path []string) []string {
	path = slices.Clone(path)
	for i, name := range path {
		if before, _, _ := strings.Cut(name, " ("); !strings.Contains(before, " ") {
			path[i] = c.pass.Pkg.Name() + "." + strings.TrimPrefix(name, c.pass.Pkg.Name()+".")
		}
	}
	return path
}
