package threadvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// A node is a function or function literal of the package, or a call of another function where that
// starts elsewhere.
type node struct {
	fn    *ssa.Function // nil for a call
	obj   *types.Func   // nil for literals and the initialization of the package
	name  string
	on    string // the thread by a mark, or empty
	calls []call
	uses  []use // of its parameters, receiver not included

	places []place // where it starts elsewhere
	guards []guard

	takes   bool     // takes a thread for itself: locks it, adopts it, or calls the loop of a library
	serves  bool     // calls Serve of a thread
	callees []callee // all that it mentions
	callers []*node
	users   []*node // all mentions, so that what calls it is known if these are all calls
}

// A call is a place of a node that calls something on the same thread.
type call struct {
	instr ssa.Instruction
	to    callee
	needs []need // what the callee needs, if that is known without looking into it
}

// A callee is what a value of function type is: a node, perhaps with its function, or a function of
// another package; or a parameter of a node; or another value of which it is known what it needs.
type callee struct {
	node  *node
	obj   *types.Func
	param *ssa.Parameter
	needs []need
}

// A place is where a function starts that does not run on the thread of what starts it.
type place struct {
	use    // where it runs: onThread or elsewhere
	at     token.Pos
	loose  bool   // the goroutine, that of main, is not locked to the thread
	events bool   // it is marked; or main, and calls what must be on the main thread
	dies   bool   // the goroutine ends while it is locked, and so does the thread
	own    bool   // the goroutine has locked a thread for itself, which may have any name but main
	served bool   // a thread runs the function among others
	which  any    // equal for places on the same thread, also if it has no name; nil if unknown
	owner  any    // equal for places on threads of the same preparation; nil if unknown
	lib    string // the package whose function runs it
	from   *node  // what starts it; nil for tests and marked functions
	instr  ssa.Instruction
}

// off reports whether the place is certainly not on the thread.
func (p place) off(thread string) bool {
	switch {
	case p.Kind == onThread && p.Thread == unknownThread:
		return false
	case thread == lockedThread:
		return p.Kind == elsewhere || p.loose
	case thread == mainThread:
		return p.Kind == elsewhere || p.Thread != mainThread
	case p.Kind == elsewhere:
		return !p.own
	}
	return p.Thread != "" && p.Thread != thread && thread != windowThread
}

func (n *node) called() (list []*node) {
	for _, one := range n.calls {
		if one.to.node != nil {
			list = append(list, one.to.node)
		}
	}
	return list
}

// reach returns the nodes, and those to which next leads from them, step by step.
func reach(from []*node, next func(*node) []*node) map[*node]bool {
	set := map[*node]bool{}
	from = slices.Clip(from) // what is added is not the caller's
	for i := 0; i < len(from); i++ {
		if n := from[i]; !set[n] {
			set[n] = true
			from = append(from, next(n)...)
		}
	}
	return set
}

// nodesThat returns the nodes that match, and those to which next leads from them.
func (c *checker) nodesThat(match func(*node) bool, next func(*node) []*node) map[*node]bool {
	list := slices.DeleteFunc(slices.Clone(c.nodes), func(n *node) bool { return !match(n) })
	return reach(list, next)
}

// owns reports whether a goroutine that begins with the node takes a thread for itself.
func (n *node) owns() bool {
	for m := range reach([]*node{n}, (*node).called) {
		if m.takes {
			return true
		}
	}
	return false
}

// each yields the instructions of a function that are of this type.
func each[T ssa.Instruction](fn *ssa.Function) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if x, ok := instr.(T); ok && !yield(x) {
					return
				}
			}
		}
	}
}

// dominates reports whether all paths to the second instruction pass through the first one, or they
// are the same.
func dominates(a, b ssa.Instruction) bool {
	if in := a.Block(); in != b.Block() {
		return in.Dominates(b.Block())
	}
	list := a.Block().Instrs
	return slices.Index(list, a) <= slices.Index(list, b)
}

// initializes reports whether the node is an init function or the initialization of variables.
func (n *node) initializes() bool {
	return n.fn.Parent() == nil && (n.obj == nil || n.isFunc("init"))
}

// isFunc reports whether the node is a function of that name, and no method.
func (n *node) isFunc(name string) bool {
	return n.obj != nil && n.obj.Name() == name && n.fn.Signature.Recv() == nil
}

// position returns pos as a report names it.
func (c *checker) position(pos token.Pos) string {
	at := c.pass.Fset.Position(pos)
	return filepath.Base(at.Filename) + ":" + strconv.Itoa(at.Line)
}

// addNodes collects the functions of the package.
func (c *checker) addNodes() {
	c.byFn, c.stores = map[*ssa.Function]*node{}, map[*types.Var][]ssa.Value{}
	var add func(fn *ssa.Function, name string, obj *types.Func)
	add = func(fn *ssa.Function, name string, obj *types.Func) {
		n := &node{fn: fn, name: name, obj: obj}
		n.on = c.markOf(obj)
		if lit, ok := fn.Syntax().(*ast.FuncLit); ok {
			if one := c.marks.line(lit.Pos()); one.verb == "on" {
				n.on = one.name
			}
		}
		c.nodes, c.byFn[fn] = append(c.nodes, n), n
		for store := range each[*ssa.Store](fn) {
			if v := variable(store.Addr); v != nil {
				c.stores[v] = append(c.stores[v], store.Val)
			}
		}
		if obj != nil || fn.Parent() == nil {
			name = "a function in " + name
		}
		for _, anon := range fn.AnonFuncs {
			add(anon, name, nil)
		}
	}
	add(c.pkg.Func("init"), "the initialization of "+c.pass.Pkg.Name(), nil)
	for _, file := range c.pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && cgoName(decl.Name.Name) == "" {
				if obj, ok := c.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					if fn := c.pkg.Prog.FuncValue(obj); fn != nil {
						add(fn, nameOf(obj), obj)
					}
				}
			}
		}
	}
}

// markOf returns the thread that a function is marked with: itself, its type, or its package.
func (c *checker) markOf(obj *types.Func) string {
	if obj == nil || packageOf(obj) == "C" {
		return ""
	}
	if obj.Pkg() != c.pass.Pkg {
		return c.factOf(obj).On
	}
	if name, ok := c.marks.on[obj]; ok {
		return name
	}
	if recv := obj.Signature().Recv(); recv != nil {
		if named := namedType(recv.Type()); named != nil {
			if name, ok := c.marks.on[named.Origin().Obj()]; ok {
				return name
			}
		}
	} else if obj.Name() == "init" || obj.Name() == "main" {
		return ""
	}
	if c.marks.whole == "" { // perhaps a table of the module names it
		name := nameOf(obj)
		for _, lib := range c.tables {
			if !lib.matches(obj.Pkg().Path()) {
				continue
			}
			if lib.Any.match(name, obj) {
				return anyThread
			}
			for thread, on := range lib.On {
				if on.match(name, obj) {
					return thread
				}
			}
		}
	}
	return c.marks.whole
}

// describe returns how a report names a function of any package.
func (c *checker) describe(obj *types.Func) string {
	name := nameOf(obj)
	if pkg := packageOf(obj); pkg == "C" {
		name = "C." + name
	} else if obj.Pkg() != nil && obj.Pkg() != c.pass.Pkg {
		name = obj.Pkg().Name() + "." + name
	}
	return name
}

// factOf returns what is known of a function of another package.
func (c *checker) factOf(obj *types.Func) (f funcFact) {
	if obj.Pkg() != nil && obj.Pkg() != c.pass.Pkg {
		c.pass.ImportObjectFact(obj, &f)
	}
	return f
}
