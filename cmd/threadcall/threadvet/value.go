package threadvet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

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

// outer returns the value that a literal captures as v, or nil.
func outer(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Referrers() == nil {
		return nil // not a literal
	}
	for _, instr := range *fn.Referrers() {
		if made, ok := instr.(*ssa.MakeClosure); ok {
			return made.Bindings[slices.Index(fn.FreeVars, v)]
		}
	}
	return nil
}

// local returns the variable whose address addr is, if it is local to a function, also when a
// literal captures it.
func local(addr ssa.Value) *ssa.Alloc {
	for {
		switch a := addr.(type) {
		case *ssa.Alloc:
			return a
		case *ssa.FreeVar:
			addr = outer(a)
		default:
			return nil
		}
	}
}

// assigned returns all values that are stored in a local variable. It is not ok if its address goes
// elsewhere.
func assigned(addr ssa.Value) (values []ssa.Value, ok bool) {
	ok = true
	uses(addr, func(instr ssa.Instruction, alias ssa.Value) {
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
	})
	return values, ok
}

// uses calls yield for all instructions that use the address of a variable, which in literals that
// capture it is an alias.
func uses(addr ssa.Value, yield func(instr ssa.Instruction, alias ssa.Value)) {
	if addr.Referrers() == nil {
		return
	}
	for _, instr := range *addr.Referrers() {
		yield(instr, addr)
		if made, ok := instr.(*ssa.MakeClosure); ok {
			for i, b := range made.Bindings {
				if b == addr {
					uses(made.Fn.(*ssa.Function).FreeVars[i], yield)
				}
			}
		}
	}
}

// follow calls use for all instructions that use v, or the first result if it has several, also by
// way of local variables with no other value. It reports whether use knows them all.
func follow(v ssa.Value, use func(instr ssa.Instruction, v ssa.Value) bool) bool {
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
			case *ssa.ChangeType, *ssa.MakeInterface:
				follow(x.(ssa.Value))
			case *ssa.Extract:
				if x.Index == 0 {
					follow(x)
				}
			case *ssa.Store:
				a := local(x.Addr)
				if a == nil || x.Val != v {
					ok = false
					break
				}
				values, known := assigned(a)
				ok = ok && known && len(values) == 1
				uses(a, func(instr ssa.Instruction, _ ssa.Value) {
					if load, is := instr.(*ssa.UnOp); is {
						follow(load)
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

// intOf returns the integer constant that v is, or 0.
func intOf(v ssa.Value) (n int64) {
	if k, ok := v.(*ssa.Const); ok && k.Value != nil {
		n, _ = constant.Int64Val(constant.ToInt(k.Value))
	}
	return n
}

// textOf returns the string constant that v is, or "".
func textOf(v ssa.Value) string {
	if k, ok := v.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
		return constant.StringVal(k.Value)
	}
	return ""
}

// results returns what a function returns as result i.
func results(fn *ssa.Function, i int) (list []ssa.Value) {
	for ret := range each[*ssa.Return](fn) {
		list = append(list, ret.Results[i])
	}
	return list
}

// strip returns what v is before its conversions.
func strip(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeType, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Convert:
			v = *x.(ssa.Instruction).Operands(nil)[0]
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
	if from := read(v); from != nil && c.varMark(from) != "" {
		return from
	}
	return nil
}

// valueNeeds returns what a function needs that a marked variable holds, or that a function of
// package thread has returned, which calls the main thread or posts to it.
func (c *checker) valueNeeds(v ssa.Value) []need {
	if from := c.held(v); from != nil {
		return marked(c.varMark(from), from.Name(), false)
	}
	if call, ok := v.(*ssa.Call); ok && isFunction(call) {
		if obj := c.function(&call.Call); packageOf(obj) == threadPackage && c.ofMain(&call.Call) {
			return []need{{Demand: needInit, What: "the function that " + c.describe(obj) + " returns"}}
		}
	}
	return nil
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
		if to := outer(x); to != nil {
			return c.origins(to, depth+1)
		}
		return nil, false
	case *ssa.UnOp:
		if a := local(x.X); x.Op == token.MUL && a != nil {
			return all(assigned(a))
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
			if needs := c.valueNeeds(x); needs != nil {
				list = append(list, callee{needs: needs})
			} else {
				ok = false
			}
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

// function returns the function of a package that a call always calls, or nil. Of a system call by
// its number it is one whose name has that of the number: Syscall(SETNS).
func (c *checker) function(call *ssa.CallCommon) *types.Func {
	fn := call.StaticCallee()
	if fn == nil {
		return nil
	}
	obj := c.calleeOf(fn).obj
	if obj == nil || obj.Pkg() == nil {
		return nil
	}
	if !numbered.MatchString(obj.Name()) || !system(obj) {
		return obj
	}
	if c.numbered[call.Pos()] == nil {
		if name := c.byNumber(call.Pos(), obj.Pkg()); name != "" {
			obj = types.NewFunc(obj.Pos(), obj.Pkg(), obj.Name()+"("+name+")", obj.Signature())
		}
		c.numbered[call.Pos()] = obj
	}
	return c.numbered[call.Pos()]
}

// byNumber returns the name of the system call that the call at pos makes by its number, or "": the
// one that the package has for the number, or that stands there.
func (c *checker) byNumber(pos token.Pos, pkg *types.Package) string {
	call := enclosing[*ast.CallExpr](c, pos)
	if call == nil || c.inChild(pos) {
		return ""
	}
	arg, name := call.Args[0], ""
	number := c.pass.TypesInfo.Types[arg].Value
	for _, known := range pkg.Scope().Names() {
		k, ok := pkg.Scope().Lookup(known).(*types.Const)
		if ok && number != nil && strings.HasPrefix(known, "SYS_") &&
			constant.Compare(k.Val(), token.EQL, number) {
			name = known
		}
	}
	name = cmp.Or(name, unnamed[fmt.Sprint(number)], types.ExprString(arg))
	return strings.ToUpper(numbers.FindString(name))
}

// called returns the full name of the function that a call always calls, or "".
func (c *checker) called(call *ssa.CallCommon) string { return fullName(c.function(call)) }

var (
	numbered = regexp.MustCompile(`^(Raw)?Syscall(6|NoError)?$`)
	numbers  = regexp.MustCompile(`(?i)(setns|unshare|ptrace|sched_?setaffinity|` +
		`landlock_?restrict_?self|set(re|res)?[ug]id|setgroups)(32)?\b`)
	// unnamed are numbers that package syscall has no name for, the first on amd64.
	unnamed = map[string]string{"308": "SETNS", "446": "LANDLOCK_RESTRICT_SELF"}
)

// inChild reports whether pos follows, in its declaration, the number of the system call that
// starts a process: what does not return to the parent there is in the child, which has one thread.
func (c *checker) inChild(pos token.Pos) bool {
	if in := enclosing[*ast.FuncDecl](c, pos); in != nil {
		for n := range ast.Preorder(in) {
			if id, ok := n.(*ast.Ident); ok && id.Pos() < pos && forks.MatchString(id.Name) {
				return true
			}
		}
	}
	return false
}

var forks = regexp.MustCompile(`^SYS_(CLONE3?|V?FORK)$`)

// system reports whether a function is of a package of system calls.
func system(obj *types.Func) bool {
	path := packageOf(obj)
	return path == "syscall" || strings.HasSuffix(path, "golang.org/x/sys/unix")
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
	if len(list) == 1 && list[0].node == nil && list[0].obj != nil {
		list[0].obj = cmp.Or(c.function(call), list[0].obj)
	}
	return list
}
