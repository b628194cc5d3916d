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
	end   func(state)
}

// A state is what holds at one instruction of a path.
type state struct {
	locks  int
	moved  token.Pos // the call that has moved the thread, or NoPos
	by     string    // its name
	kinds  int64     // flags for the namespaces
	result truth     // of the last result of the call that has just ended
	facts  map[string]truth
	defers []*ssa.Defer
}

// A truth is what a path says of a value, or of what an address holds.
type truth int8

const (
	unknownTruth truth = iota
	zero               // nil, 0 or false
	nonzero
)

func (s state) fact(v ssa.Value) truth { return s.facts[fmt.Sprintf("%p", v)] }

func (s state) with(v ssa.Value, t truth) state {
	if s.fact(v) == t {
		return s
	}
	facts := map[string]truth{}
	maps.Copy(facts, s.facts)
	facts[fmt.Sprintf("%p", v)] = t
	s.facts = facts
	return s
}

// first reports whether a path comes to a place in the state for the first time.
func (w *walker) first(place string, s state) bool {
	key := fmt.Sprint(place, s)
	seen := w.seen[key]
	w.seen[key] = true
	return !seen
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
		steps := 40000
		w := walker{c: c, touches: touches, args: map[*ssa.Parameter]ssa.Value{}, steps: &steps}
		for _, s := range w.function(n, state{}) {
			n.moves = n.moves || s.moved.IsValid() && s.locks == 0 && s.result != nonzero
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
	return c.listed(obj, func(l *library) patterns { return l.Namespace }) || c.factOf(obj).Moves
}

// function returns the states in which a function can return.
func (w walker) function(n *node, s state) (list []state) {
	outer := s.defers
	s.defers = nil
	w.depth++
	w.seen = map[string]bool{}
	w.end = func(s state) {
		if s.defers = outer; w.first("end", s) {
			list = append(list, s)
		}
	}
	w.block(n.fn.Blocks[0], 0, s)
	return list
}

// block follows a path from instruction i of a block on.
func (w *walker) block(b *ssa.BasicBlock, i int, s state) {
	s.result = unknownTruth
	if *w.steps--; *w.steps < 0 || !w.first(fmt.Sprint(b.Index, " ", i), s) {
		return
	}
	for ; i < len(b.Instrs); i++ {
		switch x := b.Instrs[i].(type) {
		case *ssa.Store:
			if cell := w.c.local(x.Addr); cell != nil {
				s = s.with(cell, w.truth(s, x.Val))
			}
		case *ssa.UnOp:
			if cell := w.c.local(x.X); x.Op == token.MUL && cell != nil {
				s = s.with(x, s.fact(cell))
			}
		case *ssa.Extract:
			if x.Index == x.Tuple.Type().(*types.Tuple).Len()-1 {
				s = s.with(x, s.fact(x.Tuple))
			}
		case *ssa.Defer:
			s.defers = append(slices.Clip(s.defers), x)
		case *ssa.RunDefers:
			if last := len(s.defers) - 1; last >= 0 {
				call := s.defers[last]
				s.defers = s.defers[:last]
				for _, after := range w.call(call, s) {
					w.block(b, i, after)
				}
				return
			}
		case *ssa.Call:
			for _, after := range w.call(x, s) {
				w.block(b, i+1, after.with(x, after.result))
			}
			return
		case *ssa.Return:
			if len(x.Results) > 0 {
				s.result = w.truth(s, x.Results[len(x.Results)-1])
			}
			w.end(s)
		case *ssa.If:
			v, when := condition(x.Cond)
			for _, succ := range b.Succs {
				if is := w.truth(s, v); is == unknownTruth || is == when {
					w.enter(b, succ, w.assume(s, v, when))
				}
				when = zero + nonzero - when
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
		next = next.with(phi, w.truth(s, phi.Edges[slices.Index(to.Preds, from)]))
	}
	w.block(to, first, next)
}

// condition returns the value on which a condition depends, and what is true of it if the
// condition is.
func condition(v ssa.Value) (of ssa.Value, when truth) {
	v, yes := positive(v)
	if x, ok := v.(*ssa.BinOp); ok && (x.Op == token.EQL || x.Op == token.NEQ) {
		for _, pair := range [][2]ssa.Value{{x.X, x.Y}, {x.Y, x.X}} {
			if k, ok := pair[0].(*ssa.Const); ok && constantTruth(k) == zero {
				v, yes = pair[1], yes == (x.Op == token.NEQ)
				break
			}
		}
	}
	if yes {
		return v, nonzero
	}
	return v, zero
}

func constantTruth(k *ssa.Const) truth {
	if k.Value == nil || k.Value.Kind() == constant.Bool && !constant.BoolVal(k.Value) ||
		k.Value.Kind() == constant.Int && constant.Sign(k.Value) == 0 {
		return zero
	}
	return nonzero
}

// truth returns what is known of v.
func (w *walker) truth(s state, v ssa.Value) truth {
	switch x := v.(type) {
	case *ssa.Const:
		return constantTruth(x)
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.Function:
		return nonzero
	case *ssa.ChangeInterface:
		return w.truth(s, x.X)
	case *ssa.Parameter:
		if arg := w.args[x]; arg != nil {
			return w.truth(s, arg)
		}
	case *ssa.Call:
		if name := method(&x.Call); name == "fmt.Errorf" || name == "errors.New" {
			return nonzero
		}
	}
	return s.fact(v)
}

// assume notes what a condition says of a value if others depend on it, too.
func (w *walker) assume(s state, v ssa.Value, t truth) state {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if cell := w.c.local(load.X); cell != nil {
			return s.with(cell, t).with(v, t)
		}
	}
	if refs := v.Referrers(); refs == nil || len(*refs) < 2 {
		return s
	}
	return s.with(v, t)
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
		switch n.(type) {
		case *ast.CallExpr, *ast.DeferStmt:
			ast.Inspect(n, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && home.MatchString(id.Name)
				return true
			})
			return found
		}
	}
	return false
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
func (w *walker) call(instr ssa.CallInstruction, s state) []state {
	common := instr.Common()
	list := w.c.static(common)
	_, param := common.Value.(*ssa.Parameter)
	if p, _ := common.Value.(*ssa.Parameter); w.args[p] != nil {
		list, _ = w.c.calleesOf(w.args[p])
	}
	made, _ := fromCall(common.Value)
	if len(list) == 0 && made != nil {
		list = w.returned(common.Value)
	}
	if len(list) != 1 || list[0].obj == nil && list[0].node == nil {
		_, builtin := common.Value.(*ssa.Builtin)
		_, deferred := instr.(*ssa.Defer)
		if made != nil || deferred && !builtin && !param {
			s = s.back(allKinds) // a function that is not known may undo it
		}
		return []state{s}
	}
	to := list[0]
	switch {
	case isFunc(to.obj, "runtime", "LockOSThread"):
		s.locks++
	case isFunc(to.obj, "runtime", "UnlockOSThread"):
		if s.locks == 1 {
			w.reportMoved(instr.Pos(), "runtime.UnlockOSThread", s)
		}
		s.locks = max(s.locks-1, 0)
	case to.node != nil && w.touches[to.node] && w.depth < 6:
		return w.follow(to.node, common, s)
	case to.node != nil:
	case to.obj.Pkg() != nil && w.c.moves(to.obj, common.Args):
		return w.move(to.obj, instr, s)
	case w.c.listed(to.obj, func(l *library) patterns { return l.Pools }):
		for _, arg := range common.Args {
			list, _ := w.c.calleesOf(arg)
			for _, f := range list {
				if f.node == nil || !w.touches[f.node] {
					continue
				}
				for _, end := range w.function(f.node, state{}) {
					w.reportMoved(instr.Pos(), w.c.describe(to.obj), end.back(netKind))
				}
			}
		}
	case ends.MatchString(to.pkgPath() + "." + to.obj.Name()):
		return nil
	case common.IsInvoke() && (restores.MatchString(to.obj.Name()) || w.mayMove(to.obj.Name())):
		s = s.back(allKinds)
	}
	return []state{s}
}

// reportMoved reports that what gives others a thread which is in another namespace.
func (w *walker) reportMoved(pos token.Pos, what string, s state) {
	if s.moved.IsValid() {
		w.c.report(pos, "namespace", what+" gives other goroutines a thread in another namespace: "+
			s.by+" ("+w.c.position(s.moved)+") is not undone on some path")
	}
}

// follow returns the states after a call of a function of the package.
func (w *walker) follow(to *node, common *ssa.CallCommon, s state) []state {
	params := to.fn.Params
	if slices.ContainsFunc(params, func(p *ssa.Parameter) bool { return w.args[p] != nil }) {
		return []state{s} // it is being followed already
	}
	for i, p := range params {
		if arg := i + len(common.Args) - len(params); arg >= 0 {
			w.args[p] = common.Args[arg]
			defer delete(w.args, p)
		}
	}
	return w.function(to, s)
}

// move returns the states after a call of a function that moves the thread: done, and failed.
func (w *walker) move(obj *types.Func, instr ssa.CallInstruction, s state) []state {
	common, results := instr.Common(), obj.Signature().Results().Len()
	failed := s
	failed.result = nonzero
	kinds := w.kinds(common, obj)
	if s.moved.IsValid() && s.kinds&kinds != 0 && !w.isNew(common) || w.isHome(instr.Pos()) {
		s = s.back(kinds)
		failed = failed.back(kinds)
	} else {
		if !s.moved.IsValid() {
			s.moved, s.by = instr.Pos(), w.c.describe(obj)
		}
		s.kinds |= kinds
	}
	if results == 0 {
		return []state{s}
	}
	s.result = zero
	return []state{s, failed}
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
