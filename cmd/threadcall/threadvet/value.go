package threadvet

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// variable returns the field or global variable that addr is the address of, or nil.
func variable(addr ssa.Value) *types.Var {
	switch addr := addr.(type) {
	case *ssa.Global:
		v, _ := addr.Object().(*types.Var)
		return v
	case *ssa.FieldAddr:
		if p, ok := addr.X.Type().Underlying().(*types.Pointer); ok { // and not a type parameter
			return field(p.Elem(), addr.Field)
		}
	}
	return nil
}

func field(t types.Type, i int) *types.Var {
	if s, ok := t.Underlying().(*types.Struct); ok {
		return s.Field(i).Origin()
	}
	return nil
}

// index notes what the package stores in fields and global variables, and where it makes function
// literals.
func (c *checker) index() {
	c.stores, c.captures = map[*types.Var][]ssa.Value{}, map[*ssa.Function]*ssa.MakeClosure{}
	for _, n := range c.nodes {
		for instr := range instructions(n.fn) {
			switch instr := instr.(type) {
			case *ssa.Store:
				if v := variable(instr.Addr); v != nil {
					c.stores[v] = append(c.stores[v], instr.Val)
				}
			case *ssa.MakeClosure:
				if fn, ok := instr.Fn.(*ssa.Function); ok {
					c.captures[fn] = instr
				}
			}
		}
	}
}

// outer returns the value that a literal captures as v, or nil.
func (c *checker) outer(v *ssa.FreeVar) ssa.Value {
	if at := c.captures[v.Parent()]; at != nil {
		return at.Bindings[slices.Index(v.Parent().FreeVars, v)]
	}
	return nil
}

// local returns the variable whose address addr is, if it is local to a function, also when a
// literal captures it.
func (c *checker) local(addr ssa.Value) *ssa.Alloc {
	for {
		switch a := addr.(type) {
		case *ssa.Alloc:
			return a
		case *ssa.FreeVar:
			addr = c.outer(a)
		default:
			return nil
		}
	}
}

// assigned returns all values that are stored in a local variable. It is not ok if its address goes
// elsewhere.
func (c *checker) assigned(addr ssa.Value) (values []ssa.Value, ok bool) {
	ok = true
	c.aliases(addr, func(alias ssa.Value) {
		for _, instr := range *alias.Referrers() {
			switch instr := instr.(type) {
			case *ssa.Store:
				if instr.Addr == alias {
					values = append(values, instr.Val)
				} else {
					ok = false
				}
			case *ssa.UnOp, *ssa.DebugRef, *ssa.MakeClosure, *ssa.FieldAddr, *ssa.IndexAddr:
			default:
				ok = false
			}
		}
	})
	return values, ok
}

// aliases calls yield for the address of a variable, and for what literals capture it as.
func (c *checker) aliases(addr ssa.Value, yield func(ssa.Value)) {
	yield(addr)
	if addr.Referrers() == nil {
		return
	}
	for _, instr := range *addr.Referrers() {
		mc, ok := instr.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		fn := mc.Fn.(*ssa.Function)
		for i, b := range mc.Bindings {
			if b == addr && i < len(fn.FreeVars) {
				c.aliases(fn.FreeVars[i], yield)
			}
		}
	}
}

// follow calls use for all instructions that use v, also by way of local variables with no other
// value. It reports whether use knows them all.
func (c *checker) follow(v ssa.Value, use func(instr ssa.Instruction, v ssa.Value) bool) bool {
	seen, ok := map[ssa.Value]bool{}, true
	var follow func(v ssa.Value)
	follow = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, instr := range *v.Referrers() {
			switch x := instr.(type) {
			case *ssa.DebugRef:
			case *ssa.ChangeType:
				follow(x)
			case *ssa.MakeInterface:
				follow(x)
			case *ssa.Store:
				a := c.local(x.Addr)
				if a == nil || x.Val != v {
					ok = false
					break
				}
				values, known := c.assigned(a)
				ok = ok && known && len(values) == 1
				c.aliases(a, func(alias ssa.Value) {
					for _, instr := range *alias.Referrers() {
						if load, is := instr.(*ssa.UnOp); is {
							follow(load)
						}
					}
				})
			default:
				ok = use(instr, v) && ok
			}
		}
	}
	follow(v)
	return ok
}

// strip removes conversions.
func strip(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// read returns the variable or field that v is read from, or nil.
func read(v ssa.Value) *types.Var {
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return variable(x.X)
		}
	case *ssa.Field:
		return field(x.X.Type(), x.Field)
	}
	return nil
}

// held returns the variable or field that v is read from, if it is marked with a thread, or nil.
func (c *checker) held(v ssa.Value) *types.Var {
	if from := read(v); from != nil {
		if name := c.varMark(from); name != "" && name != anyThread {
			return from
		}
	}
	return nil
}

// bound returns the function of package mainthread that has returned v, which calls it or posts to
// it, or nil.
func (c *checker) bound(v ssa.Value) *types.Func {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return nil
	}
	obj := c.calleeOf(call.Call.StaticCallee()).obj
	if obj == nil || obj.Pkg() == nil || libraryOf(obj.Pkg().Path()) != threadcallMain {
		return nil
	}
	if _, ok := call.Type().Underlying().(*types.Signature); !ok {
		return nil
	}
	return obj
}

// origins returns the values that v can be, through variables that have no mark, and whether these
// are all.
func (c *checker) origins(v ssa.Value, depth int) (values []ssa.Value, ok bool) {
	v = strip(v)
	if depth > 8 {
		return nil, false
	}
	all := func(list []ssa.Value, ok bool) ([]ssa.Value, bool) {
		for _, one := range list {
			more, known := c.origins(one, depth+1)
			values, ok = append(values, more...), ok && known
		}
		return values, ok
	}
	switch x := v.(type) {
	case *ssa.Const:
		return nil, x.IsNil()
	case *ssa.Phi:
		return all(x.Edges, true)
	case *ssa.FreeVar:
		if to := c.outer(x); to != nil {
			return c.origins(to, depth+1)
		}
		return nil, false
	case *ssa.UnOp:
		if a := c.local(x.X); x.Op == token.MUL && a != nil {
			return all(c.assigned(a))
		}
	}
	switch f := read(v); {
	case f == nil, c.held(v) != nil:
		return []ssa.Value{v}, true
	case f.Pkg() == c.pass.Pkg && !(f.Exported() && isFunction(v)) && len(c.stores[f]) > 0:
		return all(c.stores[f], true)
	}
	return nil, false
}

// calleesOf returns the functions that a value can be, and whether these are all.
func (c *checker) calleesOf(v ssa.Value) (list []callee, ok bool) {
	values, ok := c.origins(v, 0)
	for _, v := range values {
		switch x := v.(type) {
		case *ssa.MakeClosure:
			list = append(list, c.calleeOf(x.Fn.(*ssa.Function)))
		case *ssa.Function:
			list = append(list, c.calleeOf(x))
		case *ssa.Parameter:
			list = append(list, callee{param: x})
		default:
			to := callee{held: c.held(x), bound: c.bound(x)}
			if to.held == nil && to.bound == nil {
				ok = false
				break
			}
			list = append(list, to)
		}
	}
	return list, ok
}

func (c *checker) calleeOf(fn *ssa.Function) callee {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if n := c.byFn[fn]; n != nil {
		return callee{node: n, obj: n.obj}
	}
	obj, _ := fn.Object().(*types.Func)
	if obj != nil {
		obj = obj.Origin()
		if n := c.byFn[c.pkg.Prog.FuncValue(obj)]; n != nil { // a method value
			return callee{node: n, obj: obj}
		}
	}
	return callee{obj: obj}
}

// static returns the functions that a call can call. Methods of interfaces are functions too.
func (c *checker) static(call *ssa.CallCommon) []callee {
	if call.IsInvoke() {
		return []callee{{obj: call.Method.Origin()}}
	}
	if _, ok := call.Value.(*ssa.Builtin); ok {
		return nil
	}
	list, _ := c.calleesOf(call.Value)
	return list
}

// identity is which thread a value is. It is not main if made, and has a name if it is known.
type identity struct {
	name string
	made bool
}

func (i identity) known() bool { return i.made || i.name != "" }

// identify returns which thread a value of type *thread.Thread, *thread.Pool or thread.Caller is:
// the same for all that it can be.
func (c *checker) identify(v ssa.Value) (all identity) {
	values, ok := c.origins(v, 0)
	if !ok {
		return identity{}
	}
	for _, one := range values {
		var id identity
		if tuple, ok := one.(*ssa.Extract); ok {
			one = tuple.Tuple
		}
		if from := c.held(one); from != nil {
			name := c.varMark(from)
			id = identity{name: name, made: name != mainThread}
		} else if call, ok := one.(*ssa.Call); ok {
			id = c.identifyNew(call)
		}
		switch {
		case !id.known():
			return identity{}
		case !all.known():
			all = id
		case all.name != id.name && all.made && id.made:
			all.name = ""
		case all != id:
			return identity{}
		}
	}
	return all
}

// varMark returns the thread that a variable or field is marked with.
func (c *checker) varMark(v *types.Var) string {
	if name := c.marks.on[v]; name != "" {
		return name
	}
	var f varFact
	if v.Pkg() != c.pass.Pkg && c.pass.ImportObjectFact(v, &f) {
		return f.Thread
	}
	return ""
}

// makers are the functions of package thread that return threads.
var makers = names("New Start NewPool StartPool Adopt")

// identifyNew returns which thread a call returns.
func (c *checker) identifyNew(call *ssa.Call) identity {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return identity{}
	}
	obj := c.calleeOf(fn).obj
	if obj == nil || obj.Pkg() == nil {
		return identity{}
	}
	switch libraryOf(obj.Pkg().Path()) {
	case threadcallMain:
		if obj.Name() == "Thread" {
			return identity{name: mainThread}
		}
	case threadcallThread:
		made := obj.Name() != "Adopt"
		if !makers[functionOf(obj).String()] {
			return identity{}
		}
		if one, ok := c.marks.line(call.Pos()); ok && one.verb == "on" && one.name != anyThread {
			return identity{name: one.name, made: made}
		}
		for _, opt := range options(call) {
			if fn := opt.Call.StaticCallee(); fn != nil && fn.Name() == "WithName" {
				if k, ok := opt.Call.Args[0].(*ssa.Const); ok && k.Value != nil &&
					k.Value.Kind() == constant.String {
					return identity{name: constant.StringVal(k.Value), made: made}
				}
			}
		}
		return identity{made: made}
	case golangDesignThread:
		return identity{made: obj.Name() == "New"}
	}
	return identity{}
}

// options returns the calls that make the last, variadic, arguments.
func options(call *ssa.Call) (list []*ssa.Call) {
	if len(call.Call.Args) == 0 {
		return nil
	}
	s, ok := call.Call.Args[len(call.Call.Args)-1].(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, instr := range *a.Referrers() {
		at, ok := instr.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, instr := range *at.Referrers() {
			if store, ok := instr.(*ssa.Store); ok {
				if opt, ok := strip(store.Val).(*ssa.Call); ok {
					list = append(list, opt)
				}
			}
		}
	}
	return list
}
