package threadvet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// scan finds out what all functions call, and which functions start elsewhere.
func (c *checker) scan() {
	c.addNodes()
	c.index()
	for _, n := range c.nodes {
		n.uses = make([]use, n.fn.Signature.Params().Len())
		c.flags(n)
	}
	for range 5 { // what a function does with its parameters depends on what others do
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
