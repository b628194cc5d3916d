package threadvet

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A walker follows the paths of a function and of what it calls, to find those on which a thread
// is given back by runtime.UnlockOSThread after a call has moved it to another namespace and none
// has moved it again. It knows on which paths a call has failed.
type walker struct {
	c       *checker
	touches map[*node]bool               // functions that lock, unlock or move, or call one that does
	args    map[*ssa.Parameter]ssa.Value // of the functions that are being followed
	steps   *int                         // that are left

	// Of the call that is being followed.
	depth int
	seen  map[string]bool
	end   func(exit)
}

// A state is what holds at one instruction of a path.
type state struct {
	locks  int
	moved  token.Pos          // the call that has moved the thread, or NoPos
	by     string             // its name
	kinds  int64              // flags for the namespaces
	facts  map[ssa.Value]bool // whether a value, or what an address holds, is not nil, 0 or false
	defers []*ssa.Defer
}

func (s state) with(v ssa.Value, fact, known bool) state {
	if old, ok := s.facts[v]; ok == known && old == fact {
		return s
	}
	facts := map[ssa.Value]bool{}
	maps.Copy(facts, s.facts)
	if delete(facts, v); known {
		facts[v] = fact
	}
	s.facts = facts
	return s
}

func (s state) key(at string) string {
	facts := []string{}
	for v, fact := range s.facts {
		facts = append(facts, fmt.Sprintf("%p%t", v, fact))
	}
	slices.Sort(facts)
	return fmt.Sprintf("%s %d %d %x %p %d %s", at, s.locks, s.moved, s.kinds, s.defers,
		len(s.defers), facts)
}

const (
	netKind  = 0x40000000 // CLONE_NEWNET
	allKinds = 0x7e020080 // of setns and unshare
)

// back returns the state after the thread has been moved back to its namespaces of these kinds.
func (s state) back(kinds int64) state {
	if s.kinds &^= kinds; s.kinds == 0 {
		s.moved = token.NoPos
	}
	return s
}

// kinds returns the namespaces that a call moves the thread to.
func (w *walker) kinds(common *ssa.CallCommon, obj *types.Func) int64 {
	if path := obj.Pkg().Path(); path != "syscall" && !strings.HasSuffix(path, "/unix") {
		return netKind
	}
	for _, arg := range common.Args {
		if k, ok := arg.(*ssa.Const); ok && k.Value != nil {
			if v, ok := constant.Int64Val(constant.ToInt(k.Value)); ok && v&allKinds != 0 {
				return v & allKinds
			}
		}
	}
	return allKinds
}

// An exit is a state at the end of a call, and whether its last result is not nil.
type exit struct {
	state
	fact, known bool
}

// checkNamespaces reports threads that go back in another namespace, and exports which functions
// move the thread that calls them.
func (c *checker) checkNamespaces() {
	moves := func(obj *types.Func) bool { return c.moves(obj, nil) }
	if len(c.mentioning(moves)) == 0 {
		return
	}
	touches := c.mentioning(func(obj *types.Func) bool {
		return moves(obj) || isFunc(obj, "runtime", "LockOSThread") ||
			isFunc(obj, "runtime", "UnlockOSThread")
	})
	for _, n := range c.nodes {
		if !touches[n] || n.on == anyThread {
			continue
		}
		steps := 20000
		w := walker{c: c, touches: touches, args: map[*ssa.Parameter]ssa.Value{}, steps: &steps}
		for _, end := range w.function(n, state{}) {
			n.moves = n.moves || end.moved.IsValid() && end.locks == 0 && !(end.known && end.fact)
		}
	}
}

// moves reports whether a function of another package moves the thread that calls it to another
// namespace; of the functions for system calls, those that make such a one.
func (c *checker) moves(obj *types.Func, args []ssa.Value) bool {
	if obj.Pkg() == nil {
		return false
	}
	if strings.Contains(obj.Name(), "Syscall") {
		return slices.ContainsFunc([]string{"SYS_SETNS", "SYS_UNSHARE"}, func(name string) bool {
			k, ok := obj.Pkg().Scope().Lookup(name).(*types.Const)
			if !ok || len(args) == 0 {
				return ok
			}
			number, ok := args[0].(*ssa.Const)
			return ok && constant.Compare(k.Val(), token.EQL, number.Value)
		})
	}
	f := functionOf(obj)
	return slices.ContainsFunc(c.librariesOf(obj), func(l *library) bool {
		return l.Namespace.match(f)
	}) || c.factOf(obj).Moves
}

// pools reports whether a function runs others on a thread that it gives back with the network
// namespace restored, and no other.
func (c *checker) pools(obj *types.Func) bool {
	return obj.Pkg() != nil && slices.ContainsFunc(c.librariesOf(obj), func(l *library) bool {
		return l.Pools.match(functionOf(obj))
	})
}

// function returns the states in which a function can return.
func (w walker) function(n *node, s state) (list []exit) {
	if len(n.fn.Blocks) == 0 {
		return []exit{{state: s}}
	}
	outer := s.defers
	s.defers = nil
	w.depth++
	w.seen = map[string]bool{}
	w.end = func(e exit) {
		e.defers = outer
		if key := e.key(fmt.Sprint("exit ", e.fact, e.known)); !w.seen[key] {
			w.seen[key], list = true, append(list, e)
		}
	}
	w.block(n.fn.Blocks[0], 0, s)
	return list
}

// block follows a path from instruction i of a block on.
func (w *walker) block(b *ssa.BasicBlock, i int, s state) {
	key := s.key(fmt.Sprint(b.Index, " ", i))
	if *w.steps--; w.seen[key] || *w.steps < 0 {
		return
	}
	w.seen[key] = true
	for ; i < len(b.Instrs); i++ {
		switch x := b.Instrs[i].(type) {
		case *ssa.Store:
			if cell := w.c.local(x.Addr); cell != nil {
				fact, known := w.fact(s, x.Val)
				s = s.with(cell, fact, known)
			}
		case *ssa.UnOp:
			if cell := w.c.local(x.X); x.Op == token.MUL && cell != nil {
				fact, known := s.facts[cell]
				s = s.with(x, fact, known)
			}
		case *ssa.Extract:
			if last := x.Tuple.Type().(*types.Tuple).Len() - 1; x.Index == last {
				fact, known := s.facts[x.Tuple]
				s = s.with(x, fact, known)
			}
		case *ssa.Defer:
			s.defers = append(slices.Clip(s.defers), x)
		case *ssa.RunDefers:
			if last := len(s.defers) - 1; last >= 0 {
				call := s.defers[last]
				s.defers = s.defers[:last]
				for _, e := range w.call(call, s) {
					w.block(b, i, e.state)
				}
				return
			}
		case *ssa.Call:
			exits := w.call(x, s)
			if len(exits) != 1 {
				for _, e := range exits {
					w.block(b, i+1, e.with(x, e.fact, e.known))
				}
				return
			}
			s = exits[0].with(x, exits[0].fact, exits[0].known)
		case *ssa.Return:
			e := exit{state: s}
			if len(x.Results) > 0 {
				e.fact, e.known = w.fact(s, x.Results[len(x.Results)-1])
			}
			w.end(e)
		case *ssa.If:
			v, yes := w.condition(x.Cond)
			fact, known := w.fact(s, v)
			for k, succ := range b.Succs {
				if is := (k == 0) == yes; !known {
					w.enter(b, succ, w.assume(s, v, is))
				} else if is == fact {
					w.enter(b, succ, s)
				}
			}
		case *ssa.Jump:
			w.enter(b, b.Succs[0], s)
		}
	}
}

// enter follows a path into a block.
func (w *walker) enter(from, to *ssa.BasicBlock, s state) {
	next, first := s, 0
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		first++
		fact, known := w.fact(s, phi.Edges[slices.Index(to.Preds, from)])
		next = next.with(phi, fact, known)
	}
	w.block(to, first, next)
}

// condition returns the value on which a condition depends, and whether the condition is true if it
// is not nil, 0 or false.
func (w *walker) condition(v ssa.Value) (ssa.Value, bool) {
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.NOT {
			of, yes := w.condition(x.X)
			return of, !yes
		}
	case *ssa.BinOp:
		for _, pair := range [][2]ssa.Value{{x.X, x.Y}, {x.Y, x.X}} {
			if k, ok := pair[0].(*ssa.Const); ok && (x.Op == token.EQL || x.Op == token.NEQ) && zero(k) {
				return pair[1], x.Op == token.NEQ
			}
		}
	}
	return v, true
}

func zero(k *ssa.Const) bool {
	if k.Value == nil {
		return true
	}
	switch k.Value.Kind() {
	case constant.Bool:
		return !constant.BoolVal(k.Value)
	case constant.Int:
		return constant.Sign(k.Value) == 0
	}
	return false
}

// fact reports whether v is not nil, 0 or false, and whether that is known.
func (w *walker) fact(s state, v ssa.Value) (fact, known bool) {
	switch x := v.(type) {
	case *ssa.Const:
		return !zero(x), true
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.Function:
		return true, true
	case *ssa.ChangeInterface:
		return w.fact(s, x.X)
	case *ssa.Parameter:
		if arg := w.args[x]; arg != nil {
			return w.fact(s, arg)
		}
	case *ssa.Call:
		if name := method(&x.Call); name == "fmt.Errorf" || name == "errors.New" {
			return true, true
		}
	}
	fact, known = s.facts[v]
	return fact, known
}

// assume notes what a condition says of a value if others depend on it, too.
func (w *walker) assume(s state, v ssa.Value, fact bool) state {
	conditions := 0
	if refs := v.Referrers(); refs != nil {
		for _, instr := range *refs {
			switch instr.(type) {
			case *ssa.BinOp, *ssa.If, *ssa.Phi, *ssa.Store, *ssa.Return:
				conditions++
			}
		}
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if cell := w.c.local(load.X); cell != nil {
			s, conditions = s.with(cell, fact, true), 2
		}
	}
	if conditions < 2 {
		return s
	}
	return s.with(v, fact, true)
}

// restores matches names of functions that may move the thread back in a way that is not followed.
var restores = regexp.MustCompile(`(?i)restore|revert|reset|undo|leave|exit|back`)

// ends matches functions that do not return.
var ends = regexp.MustCompile(`^(os\.Exit|runtime\.Goexit|(log|testing)\.(Fatal|Skip|FailNow).*)$`)

// home matches names of variables that hold the namespace which the thread is to return to.
var home = regexp.MustCompile(`(?i)orig|old|prev|curr|saved|initial`)

// isHome reports whether the call at pos names such a variable.
func (w *walker) isHome(pos token.Pos) (found bool) {
	_, way := w.c.around(pos)
	for _, n := range way {
		call, ok := n.(*ast.CallExpr)
		if d, deferred := n.(*ast.DeferStmt); deferred {
			call, ok = d.Call, true
		}
		if !ok {
			continue
		}
		ast.Inspect(call, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && home.MatchString(id.Name)
			return true
		})
		break
	}
	return found
}

// isNew reports whether a call moves the thread to a namespace that it makes, or that another such
// call has made.
func (w *walker) isNew(common *ssa.CallCommon) bool {
	if common.IsInvoke() || len(common.Args) == 0 || common.StaticCallee().Name() == "Unshare" {
		return !common.IsInvoke()
	}
	values, _ := w.c.origins(common.Args[0], 0)
	return slices.ContainsFunc(values, func(v ssa.Value) bool {
		call, _ := fromCall(v)
		return call != nil && call.Call.StaticCallee() != nil &&
			slices.ContainsFunc(w.c.static(&call.Call), func(to callee) bool {
				return to.obj != nil && w.c.moves(to.obj, nil)
			})
	})
}

// call returns the states after a call.
func (w *walker) call(instr ssa.CallInstruction, s state) []exit {
	common := instr.Common()
	list := w.c.static(common)
	if p, ok := common.Value.(*ssa.Parameter); ok && w.args[p] != nil {
		list, _ = w.c.calleesOf(w.args[p])
	}
	if len(list) == 0 {
		list = w.returned(common.Value)
	}
	_, deferred := instr.(*ssa.Defer)
	if len(list) != 1 || list[0].obj == nil && list[0].node == nil {
		_, builtin := common.Value.(*ssa.Builtin)
		_, param := common.Value.(*ssa.Parameter)
		made, _ := fromCall(common.Value)
		if !builtin && !param && (deferred || made != nil) {
			s = s.back(allKinds) // a function that is not known may undo it
		}
		return []exit{{state: s}}
	}
	to := list[0]
	switch {
	case isFunc(to.obj, "runtime", "LockOSThread"):
		s.locks++
	case isFunc(to.obj, "runtime", "UnlockOSThread"):
		if s.locks == 1 && s.moved.IsValid() {
			w.c.report(instr.Pos(), "namespace", "runtime.UnlockOSThread gives other goroutines a thread "+
				"in another namespace: "+s.by+" ("+w.c.position(s.moved)+") is not undone on some path")
		}
		s.locks = max(s.locks-1, 0)
	case to.node == nil && to.obj.Pkg() != nil && w.c.moves(to.obj, common.Args):
		results := to.obj.Signature().Results().Len()
		kinds := w.kinds(common, to.obj)
		back := s.moved.IsValid() && s.kinds&kinds != 0 && !w.isNew(common) || w.isHome(instr.Pos())
		if back {
			s = s.back(kinds)
		}
		done, failed := exit{state: s, known: results > 0}, exit{state: s, fact: true, known: true}
		if !back && !s.moved.IsValid() {
			done.moved, done.by = instr.Pos(), w.c.describe(to.obj)
		}
		if !back {
			done.kinds |= kinds
		}
		if results == 0 {
			return []exit{done}
		}
		return []exit{done, failed}
	case to.obj != nil && w.c.pools(to.obj):
		for _, arg := range common.Args {
			list, _ := w.c.calleesOf(arg)
			for _, f := range list {
				if f.node == nil || !w.touches[f.node] {
					continue
				}
				for _, end := range w.function(f.node, state{}) {
					if end.back(netKind).moved.IsValid() {
						w.c.report(instr.Pos(), "namespace", w.c.describe(to.obj)+" gives other goroutines a thread "+
							"in another namespace: "+end.by+" ("+w.c.position(end.moved)+") is not undone on some path")
					}
				}
			}
		}
	case to.node != nil && w.touches[to.node] && w.depth < 6:
		params := to.node.fn.Params
		for i, p := range params {
			if w.args[p] != nil { // it is being followed already
				return []exit{{state: s}}
			}
			if first := len(common.Args) - len(params); first+i >= 0 {
				w.args[p] = common.Args[first+i]
			}
		}
		exits := w.function(to.node, s)
		for _, p := range params {
			delete(w.args, p)
		}
		return exits
	case to.node == nil && to.obj != nil:
		if ends.MatchString(to.pkgPath() + "." + to.obj.Name()) {
			return nil
		}
		if common.IsInvoke() && (restores.MatchString(to.obj.Name()) || w.mayMove(to.obj.Name())) {
			s = s.back(allKinds)
		}
	}
	return []exit{{state: s}}
}

// mayMove reports whether a method of that name in the package may move the thread.
func (w *walker) mayMove(name string) bool {
	return slices.ContainsFunc(w.c.nodes, func(n *node) bool {
		return w.touches[n] && n.obj != nil && n.obj.Name() == name && n.fn.Signature.Recv() != nil
	})
}

// returned returns the functions that v can be if a function of the package has returned it.
func (w *walker) returned(v ssa.Value) (list []callee) {
	call, i := fromCall(v)
	if call == nil {
		return nil
	}
	for _, to := range w.c.static(&call.Call) {
		if to.node == nil {
			return nil
		}
		for _, b := range to.node.fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				more, _ := w.c.calleesOf(ret.Results[i])
				list = append(list, more...)
			}
		}
	}
	return list
}

// fromCall returns the call that has returned v, and which of its results that is.
func fromCall(v ssa.Value) (call *ssa.Call, i int) {
	if x, ok := v.(*ssa.Extract); ok {
		v, i = x.Tuple, x.Index
	}
	call, _ = v.(*ssa.Call)
	return call, i
}
