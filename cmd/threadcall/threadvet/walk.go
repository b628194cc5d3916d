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

// An effect is what a call does to the thread of its caller, on one of its paths. An exported
// function exports its effects.
type effect struct {
	Locks  int    // calls of LockOSThread, less those of UnlockOSThread
	Moved  int64  // the kinds of namespaces that it leaves the thread in
	Back   int64  // the kinds of namespaces that it moves the thread back to
	By     string // the function that has moved the thread
	Made   bool   // to a namespace that is new
	Failed bool   // what moves the thread has failed
	Result truth  // what is true of the last result
}

// A truth is what a path says of a value, or of what an address holds.
type truth int8

const (
	unknownTruth truth = iota
	zero               // nil, 0 or false
	nonzero
)

// A state is what holds at one instruction of a path.
type state struct {
	effect
	at        token.Pos     // the call that has moved the thread
	unchecked token.Pos     // the call that has moved it back, but whose error is ignored
	facts     map[int]truth // of values, by their numbers in the walk
	defers    []*ssa.Defer
}

func (w *walk) fact(s state, v ssa.Value) truth { return s.facts[w.numbers[v]] }

// with returns the state in which this is true of a value.
func (w *walk) with(s state, v ssa.Value, t truth) state {
	if w.fact(s, v) == t {
		return s
	}
	if w.numbers[v] == 0 {
		w.numbers[v] = len(w.numbers) + 1
	}
	s.facts = maps.Clone(s.facts)
	s.facts[w.numbers[v]] = t
	return s
}

// back returns the state after the thread has been moved back to its namespaces of these kinds.
func (s state) back(kinds int64) state {
	s.Moved &^= kinds
	s.Back |= kinds
	return s
}

const (
	netKind  = 0x40000000 // CLONE_NEWNET
	lockKind = 1          // what Landlock forbids
	allKinds = 0x7e020080 // of setns and unshare
)

// A walk follows the paths of a function, and knows on which of them a call has failed. It finds
// the effects of the function, the calls that it makes without runtime.LockOSThread, and the calls
// of UnlockOSThread that give back a thread in another namespace.
type walk struct {
	c       *checker
	steps   int               // that are left
	seen    map[string]bool   // blocks and states, in words
	numbers map[ssa.Value]int // of values of which something is known
	calls   map[ssa.Instruction]walked
	effects []effect
}

// walked is how the paths reach a call.
type walked struct {
	unlocked bool  // one without a lock of the function
	first    bool  // one in the namespaces of the start
	moved    state // one in another namespace
}

// lockOf returns 1 for a function that locks its goroutine to its thread, and -1 for one that
// unlocks it.
func lockOf(obj *types.Func) int {
	switch fullName(obj) {
	case "runtime.LockOSThread", threadPackage + ".Adopt", threadPackage + ".Loop.Adopt":
		return 1
	case "runtime.UnlockOSThread":
		return -1
	}
	return 0
}

// unlocked reports whether a path of the node reaches the call without a lock of the node.
func (w *walk) unlocked(instr ssa.Instruction) bool { return w == nil || w.calls[instr].unlocked }

// moves reports whether a function of another package moves the thread that calls it to another
// namespace by a table.
func (c *checker) moves(obj *types.Func) bool {
	return c.listed(obj, func(l *library) patterns { return l.Namespace })
}

// effectsOf returns the effects of a function: none if it has none. The arguments may be nil.
func (c *checker) effectsOf(to callee, args []ssa.Value) []effect {
	switch {
	case to.node != nil && to.node.fn == nil:
		return c.effectsOf(to.node.calls[0].to, nil)
	case to.node != nil:
		return c.walk(to.node)
	case to.obj == nil:
		return nil
	case lockOf(to.obj) != 0:
		return []effect{{Locks: lockOf(to.obj)}}
	case c.moves(to.obj):
		name := strings.ToLower(to.obj.Name())
		kinds := int64(netKind)
		if strings.Contains(name, "landlock") {
			kinds = lockKind
		} else if system(to.obj) {
			kinds = allKinds
			for _, arg := range args {
				if v := intOf(arg) & allKinds; v != 0 {
					kinds = v
				}
			}
		}
		made := strings.Contains(name, "unshare") || kinds == lockKind || len(args) > 0 &&
			slices.ContainsFunc(c.opens(args[0], 0), func(call *ssa.Call) bool {
				return c.moves(c.function(&call.Call)) // which has made it
			})
		done := effect{Moved: kinds, By: c.describe(to.obj), Made: made, Result: zero}
		if to.obj.Signature().Results().Len() == 0 {
			return []effect{done}
		}
		return []effect{done, {Failed: true, Result: nonzero}}
	}
	list := slices.Clone(c.factOf(to.obj).Effects) // a fact belongs to all that import it
	for i := range list {
		list[i].By = c.describe(to.obj)
	}
	return list
}

// walk walks a function, unless it has been or is being walked, and returns its effects. Nil is
// noted for one that neither locks, unlocks nor moves its thread.
func (c *checker) walk(n *node) []effect {
	w, begun := c.walks[n]
	if !begun {
		w = &walk{c: c, steps: 20000, seen: map[string]bool{}, numbers: map[ssa.Value]int{},
			calls: map[ssa.Instruction]walked{}}
		c.walks[n] = w
		if !n.has(w.matters) {
			c.walks[n] = nil
			return nil
		}
		w.block(n.fn.Blocks[0], 0, state{facts: map[int]truth{}})
	}
	if w == nil || w.steps < 0 { // not all paths
		return nil
	}
	return w.effects
}

// matters reports whether an instruction may change the thread.
func (w *walk) matters(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	common := call.Common()
	returned, _ := w.c.returned(common.Value)
	list := slices.Clone(returned)
	for _, to := range w.c.static(common) {
		list = append(list, w.c.effectsOf(to, common.Args)...)
		if w.c.pooled(to, common) != nil {
			return true
		}
	}
	return worthy(list) != nil
}

// pooled returns the functions that are given to one which runs them on a thread of which it
// restores the network namespace alone.
func (c *checker) pooled(to callee, common *ssa.CallCommon) (list []callee) {
	if !c.listed(to.obj, func(l *library) patterns { return l.Pools }) {
		return nil
	}
	for _, arg := range common.Args {
		functions, _ := c.calleesOf(arg)
		list = append(list, functions...)
	}
	return list
}

// returned returns the effects of the function that v is, if a call has returned it.
func (c *checker) returned(v ssa.Value) (list []effect, ok bool) {
	call, i := fromCall(v)
	if call == nil {
		return nil, false
	}
	callees := c.static(&call.Call)
	if len(callees) != 1 {
		return nil, false
	}
	if to := callees[0]; to.node != nil {
		list = c.returns(to.node, i)
	} else if to.obj != nil {
		list = c.factOf(to.obj).Returns[i]
	}
	// If the function unlocks on some paths only, this depends on what is not known here, unless it is
	// whether the way back has failed.
	ok = len(list) > 0 && !slices.ContainsFunc(list, func(e effect) bool {
		return !e.Failed && e.Locks != list[0].Locks && !list[0].Failed
	})
	return list, ok
}

// returns returns the effects of the functions that a node returns as result i.
func (c *checker) returns(n *node, i int) (list []effect) {
	if _, ok := n.fn.Signature.Results().At(i).Type().Underlying().(*types.Signature); !ok {
		return nil
	}
	for _, v := range results(n.fn, i) {
		functions, _ := c.calleesOf(v)
		for _, f := range functions {
			list = append(list, c.effectsOf(f, nil)...)
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

// block follows a path from instruction i of a block on.
func (w *walk) block(b *ssa.BasicBlock, i int, s state) {
	s.Result = unknownTruth
	key := fmt.Sprint(b.Index, " ", i, s)
	if w.steps--; w.steps < 0 || w.seen[key] {
		return
	}
	w.seen[key] = true
	for ; i < len(b.Instrs); i++ {
		switch x := b.Instrs[i].(type) {
		case *ssa.Store:
			if cell := local(x.Addr); cell != nil {
				s = w.with(s, cell, w.truth(s, x.Val))
			}
		case *ssa.UnOp:
			if cell := local(x.X); x.Op == token.MUL && cell != nil {
				s = w.with(s, x, w.fact(s, cell))
			}
		case *ssa.Extract:
			if x.Index == x.Tuple.Type().(*types.Tuple).Len()-1 {
				s = w.with(s, x, w.fact(s, x.Tuple))
			}
		case *ssa.Go:
			w.note(x, s)
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
				w.block(b, i+1, w.with(after, x, after.Result))
			}
			return
		case *ssa.Return:
			if len(x.Results) > 0 {
				s.Result = w.truth(s, x.Results[len(x.Results)-1])
			}
			if !slices.Contains(w.effects, s.effect) {
				w.effects = append(w.effects, s.effect)
			}
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

func (w *walk) enter(from, to *ssa.BasicBlock, s state) {
	next, first := s, 0
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		first++
		next = w.with(next, phi, w.truth(s, phi.Edges[slices.Index(to.Preds, from)]))
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
func (w *walk) truth(s state, v ssa.Value) truth {
	switch x := v.(type) {
	case *ssa.Const:
		return constantTruth(x)
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.Function:
		return nonzero
	case *ssa.ChangeInterface:
		return w.truth(s, x.X)
	case *ssa.Call:
		if name := w.c.called(&x.Call); name == "fmt.Errorf" || name == "errors.New" {
			return nonzero
		}
	}
	return w.fact(s, v)
}

// assume notes what a condition says of a value if others depend on it, too.
func (w *walk) assume(s state, v ssa.Value, t truth) state {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if cell := local(load.X); cell != nil {
			return w.with(w.with(s, cell, t), v, t)
		}
	}
	if refs := v.Referrers(); refs == nil || len(*refs) < 2 {
		return s
	}
	return w.with(s, v, t)
}

var (
	// restores matches names of functions that may move the thread back in a way that is not followed.
	restores = regexp.MustCompile(`(?i)restore|revert|reset|undo|leave|exit|back`)
	// ends matches functions that do not return.
	ends = regexp.MustCompile(`^(os\.Exit|runtime\.Goexit|(log|testing)\.(Fatal|Skip|FailNow).*)$`)
	// home matches names of variables that hold the namespace which the thread is to return to.
	home = regexp.MustCompile(`(?i)orig|old|prev|curr|saved|initial`)
)

// isHome reports whether a call moves the thread to where it was at first: by where the handle
// comes from, or by the name of its variable if that is not known.
func (w *walk) isHome(instr ssa.CallInstruction) bool {
	common := instr.Common()
	for _, arg := range append(slices.Clone(common.Args), common.Value) {
		calls := w.c.opens(arg, 0)
		if len(calls) > 0 && !slices.ContainsFunc(calls, func(call *ssa.Call) bool {
			return libraryOf(packageOf(w.c.function(&call.Call))) == nil // a function that is not known
		}) {
			return !slices.ContainsFunc(calls, func(call *ssa.Call) bool {
				return !w.c.opensHome(call) || call.Parent() == instr.Parent() && !w.calls[call].first
			})
		}
	}
	if at, ok := w.c.at(instr.Pos()); ok {
		for at := range at.Enclosing((*ast.DeferStmt)(nil), (*ast.CallExpr)(nil)) {
			for id := range at.Preorder((*ast.Ident)(nil)) {
				if home.MatchString(id.Node().(*ast.Ident).Name) {
					return true
				}
			}
			break
		}
	}
	return false
}

// opens returns the calls that have opened a handle of a namespace.
func (c *checker) opens(v ssa.Value, depth int) (calls []*ssa.Call) {
	values, _ := c.origins(v, 0)
	for _, v := range values {
		call, i := fromCall(v)
		if call == nil || depth > 5 {
			continue
		}
		var from []ssa.Value // what makes the result
		if strings.HasSuffix(c.called(&call.Call), ".Fd") {
			from = call.Call.Args
		} else if n := c.byFn[call.Call.StaticCallee()]; n != nil {
			from = results(n.fn, i)
		} else {
			calls = append(calls, call)
		}
		for _, v := range from {
			calls = append(calls, c.opens(v, depth+1)...)
		}
	}
	return calls
}

// ownSpace matches the files of the namespaces of the thread, or of a process by its number.
var ownSpace = regexp.MustCompile(`^/proc/(self|thread-self|%[dv])(/task/%[dv])?/ns/`)

// opensHome reports whether a call returns a handle of the namespace in which the thread is.
func (c *checker) opensHome(call *ssa.Call) bool {
	for _, arg := range call.Call.Args {
		if print, ok := arg.(*ssa.Call); ok && c.called(&print.Call) == "fmt.Sprintf" {
			arg = print.Call.Args[0]
		}
		if ownSpace.MatchString(textOf(arg)) {
			return true
		}
	}
	return c.listed(c.function(&call.Call), func(l *library) patterns { return l.Home })
}

func (w *walk) note(instr ssa.CallInstruction, s state) {
	how := w.calls[instr]
	how.unlocked = how.unlocked || s.Locks <= 0
	if s.Moved != 0 {
		how.moved = s
	} else {
		how.first = true
	}
	w.calls[instr] = how
}

// call returns the states after a call.
func (w *walk) call(instr ssa.CallInstruction, s state) (after []state) {
	w.note(instr, s)
	common := instr.Common()
	list := w.c.static(common)
	if len(list) != 1 || list[0].obj == nil && list[0].node == nil {
		effects, ok := w.c.returned(common.Value)
		_, builtin := common.Value.(*ssa.Builtin)
		_, param := common.Value.(*ssa.Parameter)
		_, deferred := instr.(*ssa.Defer)
		made, _ := fromCall(common.Value)
		if !ok && (made != nil || deferred && !builtin && !param) {
			s.Moved = 0 // a function that is not known may undo it
		}
		if !ok && effects != nil {
			effects, s.Locks = nil, min(s.Locks, 0)
		}
		return w.apply(effects, "the function that a call has returned", instr, s)
	}
	to, what := list[0], ""
	if to.obj == nil {
		what = to.node.name
	} else {
		what = w.c.describe(to.obj)
		if ends.MatchString(packageOf(to.obj) + "." + to.obj.Name()) {
			return nil
		}
	}
	effects := w.c.effectsOf(to, common.Args)
	if to.node == nil && len(effects) == 0 {
		pooled := w.c.pooled(to, common)
		for _, f := range pooled {
			for _, e := range w.c.effectsOf(f, nil) {
				w.unlocks(instr.Pos(), what, state{effect: e}.back(netKind))
			}
		}
		if pooled == nil && common.IsInvoke() &&
			(restores.MatchString(to.obj.Name()) || w.mayMove(to.obj.Name())) {
			s.Moved = 0
		}
	}
	return w.apply(effects, what, instr, s)
}

// mayMove reports whether a method of that name in the package may move the thread.
func (w *walk) mayMove(name string) bool {
	return slices.ContainsFunc(w.c.nodes, func(n *node) bool {
		if n.obj == nil || n.obj.Name() != name || n.isFunc(name) {
			return false
		}
		w.c.walk(n)
		return w.c.walks[n] != nil
	})
}

// unlocks reports that what gives others a thread which is in another namespace. The same two
// functions of other packages are reported once: the mistake is there.
func (w *walk) unlocks(pos token.Pos, what string, s state) {
	at := ""
	if s.at.IsValid() {
		at = " (" + w.c.position(s.at) + ")"
	}
	if s.Moved != 0 && (what == "runtime.UnlockOSThread" || !w.c.marks.ignored(pos) &&
		w.c.news(token.NoPos, what+s.By)) {
		other := " gives other goroutines a thread in another namespace: "
		if s.Moved == lockKind {
			other = " gives other goroutines a restricted thread: "
		}
		w.c.report(pos, "namespace", what+other+s.By+at+" is not undone on some path")
	}
}

// apply returns the states after a call that has these effects, or none.
func (w *walk) apply(effects []effect, what string, instr ssa.CallInstruction, s state) (
	after []state) {
	if len(effects) == 0 {
		s.Result = unknownTruth
		return []state{s}
	}
	moves := slices.IndexFunc(effects, func(e effect) bool { return e.Moved != 0 })
	// The way back is not taken to fail: what a program does then is known to be wrong only if it
	// ignores the error.
	back := moves >= 0 && (w.isHome(instr) ||
		s.Moved&effects[moves].Moved != 0 && !effects[moves].Made)
	for _, e := range effects {
		next, kinds := s, e.Moved
		if next = next.back(e.Back); back && (kinds != 0 || e.Failed) {
			kinds = effects[moves].Moved
			if s.Locks <= 0 || s.Moved != 0 {
				next.unchecked = ignored(instr)
			}
			next = next.back(kinds)
		} else if kinds != 0 {
			if next.Moved == 0 {
				next.at, next.By, next.Made = instr.Pos(), e.By, e.Made
			}
			next.Moved |= kinds
			next.unchecked = token.NoPos
		}
		next.Result, next.Failed = e.Result, next.Failed || e.Failed
		next.Locks = max(-3, min(next.Locks+e.Locks, 3)) // in loops
		if e.Locks < 0 && next.Locks <= 0 {
			if s.Locks > 0 {
				w.unlocks(instr.Pos(), what, next)
			}
			if next.unchecked.IsValid() && next.Moved == 0 {
				w.c.report(next.unchecked, "namespace", "the error of the way back is ignored: if it fails, "+
					what+" ("+w.c.position(instr.Pos())+") gives other goroutines a thread in another namespace")
			}
		}
		after = append(after, next)
	}
	return after
}

// ignored returns the position of a call whose last result is an error that nothing uses.
func ignored(instr ssa.CallInstruction) token.Pos {
	results := instr.Common().Signature().Results()
	if results.Len() == 0 || results.At(results.Len()-1).Type().String() != "error" {
		return token.NoPos
	}
	call, ok := instr.(*ssa.Call)
	if ok && slices.ContainsFunc(*call.Referrers(), func(use ssa.Instruction) bool {
		x, tuple := use.(*ssa.Extract)
		return !tuple || x.Index == results.Len()-1
	}) {
		return token.NoPos
	}
	return instr.Pos()
}

// worthy returns effects, or nil if they are none.
func worthy(list []effect) []effect {
	if slices.ContainsFunc(list, func(e effect) bool { return e.Locks != 0 || e.Moved|e.Back != 0 }) {
		return list
	}
	return nil
}
