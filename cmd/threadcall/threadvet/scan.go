package threadvet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// mostRounds limits how often all functions are scanned: what one does with its parameters depends
// on what those do that it gives them to, so that a chain of so many is followed.
const mostRounds = 5

// scan finds out what all functions call, and which functions start elsewhere.
func (c *checker) scan() {
	c.addNodes()
	c.index()
	for _, n := range c.nodes {
		n.uses = make([]use, n.fn.Signature.Params().Len())
		c.flags(n)
	}
	for range mostRounds {
		c.places, c.starts = map[*node][]place{}, nil
		for _, n := range c.nodes {
			c.scanNode(n)
		}
		changed := false
		for _, n := range c.nodes {
			first := len(n.fn.Params) - len(n.uses)
			for i := range n.uses {
				if u := c.useOfParam(n, n.fn.Params[first+i]); u != n.uses[i] {
					n.uses[i], changed = u, true
				}
			}
		}
		if !changed {
			break
		}
	}
	c.closeInits()
}

// flags notes what else a node does, and mentions.
func (c *checker) flags(n *node) {
	for instr := range instructions(n.fn) {
		for _, v := range instr.Operands(nil) {
			fn, _ := (*v).(*ssa.Function)
			if made, ok := (*v).(*ssa.MakeClosure); ok {
				fn = made.Fn.(*ssa.Function)
			}
			if fn == nil {
				continue
			}
			to := c.calleeOf(fn)
			if call, ok := instr.(ssa.CallInstruction); ok && call.Common().Value == *v && to.node == nil {
				to.obj = c.function(call.Common())
			}
			n.callees = append(n.callees, to)
			if to.node == nil {
				continue
			}
			to.node.users = append(to.node.users, n)
			if _, makes := instr.(*ssa.MakeClosure); !makes {
				to.node.refs++
			}
		}
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if call.Common().IsInvoke() {
			c.invoked[call.Common().Method.Name()] = true
		}
		obj := c.function(call.Common())
		if obj == nil {
			continue
		}
		_, deferred := instr.(*ssa.Defer)
		if setsUser.MatchString(obj.Name()) && system(obj) {
			c.users = append(c.users, user{call.Pos(), c.describe(obj), strings.Contains(obj.Name(), "(")})
		}
		switch lib := libraryOf(obj.Pkg().Path()); {
		case isFunc(obj, "runtime", "LockOSThread"):
			n.locks = n.locks || !deferred
		case c.listed(obj, func(l *library) patterns { return l.Loops }):
			n.loops = true
		case adopts(obj):
			n.adopts = true
		case (lib == threadcallThread || lib == threadcallMain) && serving[obj.Name()]:
			n.serves = true
		}
	}
}

// closeInits finds the nodes that mention, also by others, what serves the main thread.
func (c *checker) closeInits() {
	for n := range c.mentioning(func(obj *types.Func) bool {
		if libraryOf(obj.Pkg().Path()) == threadcallMain {
			return obj.Name() == "Init" || obj.Name() == "Loop"
		}
		return c.factOf(obj).Inits
	}) {
		n.inits = true
	}
}

// mentioning returns the nodes that mention, also by others, a function of another package that
// matches.
func (c *checker) mentioning(match func(*types.Func) bool) map[*node]bool {
	return c.nodesThat(func(n *node) bool {
		return slices.ContainsFunc(n.callees, func(to callee) bool {
			return to.node == nil && packageOf(to.obj) != "" && match(to.obj)
		})
	}, func(n *node) []*node { return n.users })
}

// scanNode finds what a node calls and starts.
func (c *checker) scanNode(n *node) {
	n.calls = nil
	guards := c.guardsOf(n)
	for instr := range instructions(n.fn) {
		switch x := instr.(type) {
		case *ssa.Store:
			c.scanStore(n, x)
			if needs := c.fieldNeeds(x); needs != nil {
				n.calls = append(n.calls, call{at: x.Pos(), instr: x, needs: needs,
					guards: guardedAt(guards, x)})
			}
		case ssa.CallInstruction:
			c.scanCall(n, x, guardedAt(guards, x))
		}
	}
}

// scanStore finds functions that are stored in a variable that is marked with a thread.
func (c *checker) scanStore(n *node, store *ssa.Store) {
	if _, ok := store.Val.Type().Underlying().(*types.Signature); !ok {
		return
	}
	v := variable(store.Addr)
	if v == nil {
		return
	}
	name := c.varMark(v)
	if name == "" || name == anyThread {
		return
	}
	list, _ := c.calleesOf(store.Val)
	for _, to := range list {
		c.start(to, place{at: store.Pos(), kind: onThread, thread: name, from: n, instr: store,
			later: true,
			how:   "which " + v.Name() + " runs on " + threadName(name)})
	}
}

// start notes that a function starts at a place.
func (c *checker) start(to callee, p place) {
	for fn := p.instr.Parent(); fn != nil; fn = fn.Parent() {
		if n := c.byFn[fn]; n != nil && n.on == anyThread {
			return
		}
	}
	if to.node != nil {
		c.places[to.node] = append(c.places[to.node], p)
	} else if to.param == nil { // what has no node
		n := &node{calls: []call{{at: p.at, instr: p.instr, to: to, needs: c.needsOf(to, nil)}}}
		c.places[n], c.starts = []place{p}, append(c.starts, n)
	}
}

func (c *checker) scanCall(n *node, instr ssa.CallInstruction, guards map[string]bool) {
	common, at := instr.Common(), instr.Pos()
	if !at.IsValid() {
		at = common.Pos()
	}
	_, goes := instr.(*ssa.Go)
	list := c.static(common)
	for _, to := range list {
		switch {
		case goes:
			c.start(to, place{at: at, kind: elsewhere, from: n, instr: instr,
				how: "which runs on a goroutine started at " + c.position(at), later: true})
		case to.param == nil:
			n.calls = append(n.calls, call{at: at, instr: instr, to: to, needs: c.needsOf(to, common),
				guards: guards})
		}
		if to.obj != nil || to.node != nil {
			c.scanArgs(n, instr, to, goes, guards)
		}
	}
}

// scanArgs finds what becomes of functions that are given to a function.
func (c *checker) scanArgs(n *node, instr ssa.CallInstruction, to callee, goes bool,
	guards map[string]bool) {
	common := instr.Common()
	first := receivers(common, to)
	for i, arg := range common.Args {
		if !isFunction(arg) || i < first {
			continue
		}
		u := c.useOf(to, instr, i-first)
		if u.Kind == unknownUse {
			continue
		}
		functions, _ := c.calleesOf(arg)
		for _, f := range functions {
			switch {
			case u.Kind == inPlace && goes:
				c.start(f, place{at: instr.Pos(), kind: elsewhere, from: n, instr: instr, later: true,
					how: "which runs on a goroutine started at " + c.position(instr.Pos())})
			case u.Kind == inPlace:
				if f.param == nil {
					n.calls = append(n.calls, call{at: instr.Pos(), instr: instr, to: f,
						needs: c.needsOf(f, nil), guards: guards})
				}
			default:
				which, owner := c.which(u, instr)
				c.start(f, place{at: instr.Pos(), kind: u.Kind, thread: u.Thread, from: n, instr: instr,
					later: u.Later || goes, served: u.Kind == onThread, which: which, owner: owner,
					lib: packageOf(to.obj), how: u.How + " (" + c.position(instr.Pos()) + ")"})
			}
		}
	}
}

// isFunction reports whether v is a function, also in an interface.
func isFunction(v ssa.Value) bool {
	if made, ok := v.(*ssa.MakeInterface); ok {
		v = made.X
	}
	_, ok := v.Type().Underlying().(*types.Signature)
	return ok
}

// receivers returns how many of the arguments are a receiver.
func receivers(common *ssa.CallCommon, to callee) int {
	if common.IsInvoke() || to.obj == nil || to.obj.Signature().Recv() == nil {
		return 0
	}
	if len(common.Args) > to.obj.Signature().Params().Len() {
		return 1
	}
	return 0 // a bound method
}

// useOf returns what a function does with its parameter i.
func (c *checker) useOf(to callee, instr ssa.CallInstruction, i int) use {
	obj := to.obj
	if obj != nil {
		fact := c.factOf(obj)
		thread := fact.Runs
		if obj.Pkg() == c.pass.Pkg {
			thread = c.marks.runs[obj]
		}
		if thread != "" {
			return use{Kind: onThread, Thread: thread, Later: true, How: "which " + c.describe(obj) +
				" runs on " + threadName(thread)}
		}
		if obj.Pkg() != nil {
			for _, lib := range c.librariesOf(obj) {
				if u := c.useOfLibrary(lib, functionOf(obj), instr, i); u.Kind != unknownUse {
					return u
				}
			}
		}
		if to.node == nil && i < len(fact.Params) {
			return fact.Params[i]
		}
	}
	if to.node != nil && i < len(to.node.uses) {
		return to.node.uses[i]
	}
	return use{}
}

func (c *checker) useOfLibrary(lib *library, f function, instr ssa.CallInstruction, i int) use {
	common := instr.Common()
	if lib == threadcallThread {
		u := lib.useOf(f, i)
		if u.Kind != onThread {
			return u
		}
		var id identity
		switch {
		case len(f.name) > 4 && f.name[:4] == "With": // an option
			if call := maker(instr); call != nil {
				id = c.identifyNew(call)
			}
		case f.recv == "Pool":
			id = c.identify(common.Args[0])
			id.made = true
		case common.IsInvoke():
			id = c.identify(common.Value)
		default:
			for _, arg := range common.Args { // of Eval and EvalContext it is the first or second one
				switch typeName(arg.Type()) {
				case "Thread", "Loop", "Pool", "Caller":
					id = c.identify(arg)
					id.made = id.made || typeName(arg.Type()) == "Pool"
				}
			}
		}
		if !id.known() {
			id.name = unknownThread
		}
		u.Thread, u.How = id.name, "which "+f.String()+" runs on "+threadName(id.name)
		return u
	}
	if f.recv == "Queue" && len(common.Args) > 0 { // of macOS: the queue decides which thread it is
		from, ok := common.Args[0].(*ssa.Call)
		if !ok || from.Call.StaticCallee() == nil || from.Call.StaticCallee().Name() != "MainQueue" {
			return use{}
		}
	}
	return lib.useOf(f, i)
}

// useOfParam returns what a node does with a parameter.
func (c *checker) useOfParam(n *node, p *ssa.Parameter) use {
	if !isFunction(p) {
		return use{}
	}
	var all []use
	known := true
	note := func(u use) {
		known = known && u.Kind != unknownUse
		all = append(all, u)
	}
	known = c.follow(p, func(instr ssa.Instruction, v ssa.Value) bool {
		switch x := instr.(type) {
		case *ssa.BinOp:
			return true
		case ssa.CallInstruction:
			c.useInCall(n, x, v, note)
			return true
		}
		return false
	}) && known
	if !known {
		return use{}
	}
	u := common(all)
	switch name := c.nameOf(n); u.Kind {
	case onThread:
		u.How = "which " + name + " runs on " + threadName(u.Thread)
	case elsewhere:
		u.How = "which " + name + " runs on a goroutine"
	}
	u.Later = slices.ContainsFunc(all, func(u use) bool { return u.Later })
	return u
}

// useInCall notes how a call uses v, the parameter of n: calls it, or gives it to another function.
func (c *checker) useInCall(n *node, instr ssa.CallInstruction, v ssa.Value, note func(use)) {
	common := instr.Common()
	_, goes := instr.(*ssa.Go)
	if common.Value == v && !common.IsInvoke() {
		if goes {
			note(use{Kind: elsewhere, Later: true})
		} else {
			note(c.context(n, instr, 0))
		}
	}
	for i, arg := range common.Args {
		if arg != v {
			continue
		}
		list := c.static(common)
		if len(list) != 1 {
			note(use{})
			continue
		}
		u := c.useOf(list[0], instr, i-receivers(common, list[0]))
		switch {
		case u.Kind == inPlace && goes:
			u = use{Kind: elsewhere, Later: true}
		case u.Kind == inPlace:
			u = c.context(n, instr, 0)
		}
		u.How = ""
		note(u)
	}
}

// context returns where an instruction runs, as seen from n, in which it is, or in a literal of
// which.
func (c *checker) context(n *node, instr ssa.Instruction, depth int) use {
	in := c.byFn[instr.Parent()]
	if in == nil || depth > 5 {
		return use{}
	}
	for thread := range guardedAt(c.guardsOf(in), instr) {
		if thread == anyThread {
			return use{}
		}
		return use{Kind: onThread, Thread: thread}
	}
	if in == n {
		return use{Kind: inPlace}
	}
	var all []use
	for _, p := range c.places[in] {
		all = append(all, use{Kind: p.kind, Thread: p.thread, Later: p.later})
	}
	for _, m := range c.nodes {
		for _, one := range m.calls {
			if one.to.node == in {
				all = append(all, c.context(n, one.instr, depth+1))
			}
		}
	}
	return common(all)
}

// common returns the use that all are, if they are the same.
func common(all []use) use {
	if len(all) == 0 || slices.ContainsFunc(all, func(u use) bool {
		return u.Kind != all[0].Kind || u.Thread != all[0].Thread
	}) {
		return use{}
	}
	return all[0]
}

func (c *checker) nameOf(n *node) string {
	if n.obj == nil {
		return "it"
	}
	return c.pass.Pkg.Name() + "." + n.name
}
