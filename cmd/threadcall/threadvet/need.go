package threadvet

import (
	"cmp"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A demand is what a call must satisfy: the name of the thread that it must be on, or one of these
// rules.
type demand string

const (
	needUnlocked = "!unlock"   // calls runtime.UnlockOSThread
	needBlock    = "!block"    // waits for what may take long
	needInit     = "!init"     // waits for the main thread to be served
	needOutside  = "!outside:" // and a package: not in functions that the package runs
	needOff      = "!off:"     // and a thread: not there
	needAlone    = "!alone"    // continues on goroutines, in their namespaces
	needNet      = "!net"      // acts in the network namespace of its thread
	needFiles    = "!files"    // acts in the other namespaces of its thread, or is restricted with it
	needChild    = "!child"    // starts a child that may get a signal when its thread ends
)

// fieldNeeds returns what tables say of a store in a field of an object that the function has not
// made itself.
func (c *checker) fieldNeeds(store *ssa.Store) (list []need) {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	v := variable(store.Addr)
	if !ok || v == nil || v.Pkg() == nil || v.Pkg() == c.pass.Pkg || fresh(addr.X) {
		return nil
	}
	name := typeName(addr.X.Type()) + "." + v.Name()
	for _, l := range c.librariesOf(v.Pkg().Path(), v.Pkg()) {
		for thread, fields := range l.Fields {
			if fields.match(name, nil) {
				what := "the field " + v.Pkg().Name() + "." + name
				list = append(list, l.need(demand(thread), what, v.Pkg()))
			}
		}
	}
	return list
}

// fresh reports whether v is an object that its function makes, or is given as an argument. The
// variables seen are not judged again.
func fresh(v ssa.Value, seen ...ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Alloc, *ssa.Const:
		return true
	case *ssa.FieldAddr:
		return fresh(x.X, seen...)
	case *ssa.Parameter:
		return x.Parent().Signature.Recv() == nil || x.Parent().Params[0] != x
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		return fn != nil && strings.HasPrefix(strings.ToLower(fn.Name()), "new")
	case *ssa.UnOp:
		a, ok := x.X.(*ssa.Alloc) // a variable of the function
		if !ok || slices.Contains(seen, x.X) {
			return ok
		}
		values, _ := assigned(a)
		return !slices.ContainsFunc(values, func(v ssa.Value) bool {
			return !fresh(v, append(seen, a)...)
		})
	}
	return false
}

// needsOf returns what a callee needs, if that is known without looking into it. The call may be
// nil.
func (c *checker) needsOf(to callee, common *ssa.CallCommon) []need {
	obj := to.obj
	switch {
	case to.node != nil:
		return marked(to.node.on, to.node.name, obj != nil)
	case to.needs != nil:
		return to.needs
	case obj == nil || obj.Pkg() == nil:
		return nil
	}
	own := obj.Pkg() == c.pass.Pkg && packageOf(obj) != "C" // the method of an interface
	if on := c.markOf(obj); own || on != "" {
		return marked(on, c.describe(obj), own)
	}
	if list, ok := c.libraryNeeds(obj, common); ok {
		return list
	}
	return c.factOf(obj).Needs
}

// marked returns the need of something that is marked, or not.
func marked(on, what string, own bool) []need {
	if on == "" || on == anyThread {
		return nil
	}
	return []need{{Demand: demand(on), What: what, own: own}}
}

// libraryNeeds returns what tables say that a function needs, and whether they say anything.
func (c *checker) libraryNeeds(obj *types.Func, call *ssa.CallCommon) (list []need, ok bool) {
	name := nameOf(obj)
	for _, l := range c.librariesOf(packageOf(obj), obj.Pkg()) {
		if l.Any.match(name, obj) {
			return nil, true
		}
		for d, p := range l.demands {
			if !p.match(name, obj) || c.exempt(d, obj, call) {
				continue
			}
			if d == needOutside {
				d += demand(packageOf(obj))
			}
			one := l.need(d, c.describe(obj), obj.Pkg())
			if l.Loops.match(name, obj) {
				one.Fix = noFix
			}
			list = append(list, one)
		}
		if list != nil {
			return list, true
		}
	}
	return nil, known(packageOf(obj))
}

// ofMain reports whether the first argument of a call is the Thread of the main thread.
func (c *checker) ofMain(common *ssa.CallCommon) bool {
	return common != nil && len(common.Args) > 0 && typeName(common.Args[0].Type()) == "Thread" &&
		c.identify(common.Args[0]) == mainThread
}

// A funcFact is what other packages must know of a function.
type funcFact struct {
	On     string // the thread that it is marked with
	Needs  []need // of the functions that it calls
	Params []use  // what it does with its parameters, or nil
	Runs   string // the thread that runs functions given to it, by a mark
	Inits  bool   // mentions what serves the main thread

	Effects []effect         // on the thread that calls it
	Returns map[int][]effect // of the functions that it returns, by result
}

// A need is a demand on the calls of a function.
type need struct {
	Demand  demand
	What    string   // the function that has it
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

// by returns the use with its description: a function of this name has it.
func (u use) by(name string) use {
	switch u.Kind {
	case onThread:
		u.How = "which " + name + " runs on " + threadName(u.Thread)
	case elsewhere:
		u.How = "which " + name + " runs on a goroutine"
	}
	return u
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

// threadNames are threads in the words of a report. Others are threads of that name.
var threadNames = map[string]string{"": "a thread of its own", mainThread: "the main thread",
	lockedThread: "a goroutine that runtime.LockOSThread has locked",
	windowThread: "the thread of the window", unknownThread: "a thread"}

func threadName(name string) string { return cmp.Or(threadNames[name], "thread "+name) }

func (c *checker) exportFunctions() {
	c.reachable()
	if c.pass.Pkg.Name() == "main" {
		return
	}
	for _, n := range c.nodes {
		if n.obj == nil || n.obj.Name() == "_" || n.obj.Name() == "init" {
			continue
		}
		f := funcFact{On: n.on, Runs: c.marks.runs[n.obj], Inits: c.inits[n]}
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
			for _, d := range slices.Sorted(maps.Keys(c.can)) {
				if d == needNet || d == needFiles {
					continue // what other packages do is not known to depend on namespaces
				}
				for at := range c.lead(n, d) {
					one := at.need
					if one.own {
						one.What, one.own = c.pass.Pkg.Name()+"."+one.What, false
					}
					one.Path = c.path(at, true)
					f.Needs = append(f.Needs, one)
					break
				}
			}
		}
		if slices.ContainsFunc(n.uses, func(u use) bool { return u.Kind != unknownUse }) {
			f.Params = n.uses
		}
		if !reflect.DeepEqual(f, funcFact{}) {
			c.pass.ExportObjectFact(n.obj, &f)
		}
	}
	for _, obj := range c.pass.TypesInfo.Defs { // methods of interfaces, and variables
		switch obj := obj.(type) {
		case *types.Func:
			if on := c.markOf(obj); on != "" && c.pkg.Prog.FuncValue(obj) == nil {
				c.pass.ExportObjectFact(obj, &funcFact{On: on})
			}
		case *types.Var:
			if on := c.marks.on[obj]; on != "" && (obj.IsField() || obj.Parent() == c.pass.Pkg.Scope()) {
				c.pass.ExportObjectFact(obj, &varFact{on})
			}
		}
	}
	for v, values := range c.stores {
		if v.Pkg() != c.pass.Pkg || !v.Exported() || c.marks.on[v] != "" {
			continue
		}
		switch typeName(v.Type()) {
		case "Thread", "Loop", "Pool":
			thread := c.identify(&ssa.Phi{Edges: values})
			if thread != "" && thread != unknownThread {
				c.pass.ExportObjectFact(v, &varFact{thread})
			}
		}
	}
}
