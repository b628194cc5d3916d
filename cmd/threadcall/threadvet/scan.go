package threadvet

import (
	"cmp"
	"go/types"
	"regexp"
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
	for _, n := range c.nodes {
		n.uses = make([]use, n.fn.Signature.Params().Len())
		n.guards = c.guardsOf(n)
		c.flags(n)
	}
	for changed, round := true, 0; changed && round < mostRounds; round++ {
		c.starts, c.given, changed = nil, map[*ssa.Parameter][]place{}, false
		for _, n := range c.nodes {
			n.calls, n.places = nil, nil
		}
		for _, n := range c.nodes {
			c.scanNode(n)
		}
		for _, n := range c.nodes {
			first := len(n.fn.Params) - len(n.uses)
			for i := range n.uses {
				if u := c.useOfParam(n, n.fn.Params[first+i]); u != n.uses[i] {
					n.uses[i], changed = u, true
				}
			}
		}
	}
	c.inits = c.nodesThat(func(n *node) bool {
		return slices.ContainsFunc(n.callees, func(to callee) bool {
			name := fullName(to.obj)
			return to.node == nil && (name == mainPackage+".Init" || name == mainPackage+".Loop" ||
				name != "" && c.factOf(to.obj).Inits)
		})
	}, func(n *node) []*node { return n.users })
}

// flags notes what else a node does, and mentions.
func (c *checker) flags(n *node) {
	for instr := range each[ssa.Instruction](n.fn) {
		call, calls := instr.(ssa.CallInstruction)
		if _, makes := instr.(*ssa.MakeClosure); makes {
			continue // what uses it mentions it
		}
		for _, v := range instr.Operands(nil) {
			fn, _ := (*v).(*ssa.Function)
			if made, ok := (*v).(*ssa.MakeClosure); ok {
				fn = made.Fn.(*ssa.Function)
			}
			if fn == nil {
				continue
			}
			to := c.calleeOf(fn)
			if calls && call.Common().Value == *v && to.node == nil {
				to.obj = c.function(call.Common())
			}
			n.callees = append(n.callees, to)
			if to.node != nil {
				to.node.users = append(to.node.users, n)
			}
		}
		if !calls {
			continue
		}
		if call.Common().IsInvoke() {
			c.invoked[call.Common().Method.Name()] = true
		}
		obj := c.function(call.Common())
		if obj == nil {
			continue
		}
		if setsUser.MatchString(obj.Name()) && system(obj) {
			c.users = append(c.users, user{call.Pos(), c.describe(obj), strings.Contains(obj.Name(), "(")})
		}
		_, deferred := instr.(*ssa.Defer)
		c.adopts = c.adopts || lockOf(obj) > 0 && obj.Pkg().Path() == threadPackage
		n.takes = n.takes || lockOf(obj) > 0 && !deferred ||
			c.listed(obj, func(l *library) patterns { return l.Loops })
		n.serves = n.serves || serving.MatchString(fullName(obj))
	}
}

// serving matches the functions with which the main thread, or another one, runs what was given to
// it.
var serving = regexp.MustCompile(
	ours + `(main)?thread\.(.*\.)?(Init|Serve|ServeContext|OnWake|Wait)$`)

// scanNode finds what a node calls and starts.
func (c *checker) scanNode(n *node) {
	for instr := range each[ssa.Instruction](n.fn) {
		switch x := instr.(type) {
		case *ssa.Store:
			c.scanStore(x)
			if needs := c.fieldNeeds(x); needs != nil {
				n.calls = append(n.calls, call{instr: x, needs: needs})
			}
		case ssa.CallInstruction:
			list := c.static(x.Common())
			for _, to := range list {
				c.runs(x, to, x.Common())
				c.scanArgs(x, to)
			}
			if len(list) == 0 { // it is not known what it calls
				c.scanArgs(x, callee{})
			}
		}
	}
}

// scanStore finds functions that are stored in a variable that is marked with a thread.
func (c *checker) scanStore(store *ssa.Store) {
	v := variable(store.Addr)
	if v == nil || !isFunction(store.Val) || c.varMark(v) == "" {
		return
	}
	list, _ := c.calleesOf(store.Val)
	for _, to := range list {
		u := use{Kind: onThread, Thread: c.varMark(v), Later: true}
		c.start(to, place{use: u.by(v.Name()), instr: store})
	}
}

// start notes that a function starts at a place.
func (c *checker) start(to callee, p place) {
	if to.param != nil {
		c.given[to.param] = append(c.given[to.param], p)
		return
	}
	p.at, p.from = p.instr.Pos(), c.byFn[p.instr.Parent()]
	for fn := p.instr.Parent(); fn != nil; fn = fn.Parent() {
		if n := c.byFn[fn]; n != nil && n.on == anyThread {
			return
		}
	}
	if to.node != nil {
		to.node.places = append(to.node.places, p)
	} else { // what has no node
		c.starts = append(c.starts, &node{places: []place{p},
			calls: []call{{instr: p.instr, to: to, needs: c.needsOf(to, nil)}}})
	}
}

// runs notes that an instruction runs a function: here, or on a goroutine. The call may be nil.
func (c *checker) runs(instr ssa.CallInstruction, to callee, common *ssa.CallCommon) {
	if _, goes := instr.(*ssa.Go); goes {
		how := "which runs on a goroutine started at " + c.position(instr.Pos())
		c.start(to, place{use: use{Kind: elsewhere, Later: true, How: how}, instr: instr})
	} else if to.param != nil {
		c.start(to, place{use: use{Kind: inPlace}, instr: instr})
	} else {
		n := c.byFn[instr.Parent()]
		n.calls = append(n.calls, call{instr: instr, to: to, needs: c.needsOf(to, common)})
	}
}

// scanArgs finds what becomes of functions that are given to a function.
func (c *checker) scanArgs(instr ssa.CallInstruction, to callee) {
	_, goes := instr.(*ssa.Go)
	for i, arg := range instr.Common().Args {
		if !isFunction(arg) {
			continue
		}
		p := place{use: c.useOf(to, instr, i), instr: instr, lib: packageOf(to.obj)}
		p.Later = p.Later || goes
		p.How += " (" + c.position(instr.Pos()) + ")"
		p.served = p.Kind == onThread
		p.which, p.owner = c.which(p.use, instr)
		functions, _ := c.calleesOf(arg)
		for _, f := range functions {
			switch {
			case p.Kind == inPlace:
				c.runs(instr, f, nil)
			case p.Kind != unknownUse || f.param != nil:
				c.start(f, p)
			}
		}
	}
}

// isFunction reports whether v is a function, also in an interface.
func isFunction(v ssa.Value) bool {
	_, ok := strip(v).Type().Underlying().(*types.Signature)
	return ok
}

// useOf returns what a function does with argument i of its call, which is a function.
func (c *checker) useOf(to callee, instr ssa.CallInstruction, i int) use {
	var uses []use
	if to.obj != nil {
		if i -= len(instr.Common().Args) - to.obj.Signature().Params().Len(); i < 0 { // the receiver
			return use{}
		}
		fact := c.factOf(to.obj)
		if thread := cmp.Or(fact.Runs, c.marks.runs[to.obj]); thread != "" {
			return use{Kind: onThread, Thread: thread, Later: true}.by(c.describe(to.obj))
		}
		name := nameOf(to.obj)
		for _, lib := range c.librariesOf(packageOf(to.obj), to.obj.Pkg()) {
			u := lib.useOf(name, to.obj, i)
			if u.Kind == onThread && packageOf(to.obj) == threadPackage {
				u.Thread = c.threadOf(instr)
				u = u.by(name)
			}
			if u.Kind != unknownUse {
				return u
			}
		}
		uses = fact.Params
	}
	if to.node != nil {
		uses = to.node.uses
	}
	if i >= len(uses) {
		return use{}
	}
	return uses[i]
}

// threadOf returns the thread on which a function of package thread runs what it is given.
func (c *checker) threadOf(instr ssa.CallInstruction) string {
	name := unknownThread
	if call := maker(instr); call != nil {
		name = c.identifyNew(call)
	} else if of := target(instr.Common()); of != nil {
		name = c.identify(of)
		if name == unknownThread && typeName(of.Type()) == "Pool" {
			name = "" // that is never main
		}
	}
	return name
}

// useOfParam returns what a node does with a parameter.
func (c *checker) useOfParam(n *node, p *ssa.Parameter) use {
	if !isFunction(p) || !follow(p, func(instr ssa.Instruction, _ ssa.Value) bool {
		_, compares := instr.(*ssa.BinOp)
		_, calls := instr.(ssa.CallInstruction) // it, or what it is given to
		return compares || calls
	}) {
		return use{}
	}
	var all []use
	later := false
	for _, at := range c.given[p] {
		u := at.use
		if u.Kind == inPlace {
			u = c.context(n, at.instr, 0)
		}
		all, later = append(all, u), later || u.Later
	}
	u := common(all)
	if u.Kind == unknownUse {
		return use{}
	}
	u.Later, u.How = later, ""
	if n.obj == nil {
		return u.by("it")
	}
	return u.by(c.pass.Pkg.Name() + "." + n.name)
}

// context returns where an instruction runs, as seen from n, in which it is, or in a literal of
// which.
func (c *checker) context(n *node, instr ssa.Instruction, depth int) use {
	in := c.byFn[instr.Parent()]
	if in == nil || depth > 5 {
		return use{}
	}
	for _, g := range in.guards {
		if dominates(g.from, instr) && g.thread == anyThread {
			return use{}
		} else if dominates(g.from, instr) {
			return use{Kind: onThread, Thread: g.thread}
		}
	}
	if in == n {
		return use{Kind: inPlace}
	}
	var all []use
	for _, p := range in.places {
		all = append(all, p.use)
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
