package threadvet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

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
