package threadvet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// stored reports whether the package stores in a field of that name of another package.
func (c *checker) stored(match func(*types.Var, ssa.Value) bool) bool {
	for v, values := range c.stores {
		for _, value := range values {
			if match(v, value) {
				return true
			}
		}
	}
	return false
}

// dials reports whether a client may dial by a function of the package.
func (c *checker) dials(obj *types.Func) bool {
	return functionOf(obj).recv != "" && obj.Pkg().Path() == "net/http" &&
		c.stored(func(v *types.Var, _ ssa.Value) bool {
			return v.Pkg().Path() == "net/http" && (v.Name() == "DialContext" || v.Name() == "Dial")
		})
}

// signals reports whether a call may start a child that gets a signal when its thread ends: the
// package sets Pdeathsig, in what makes the command if that is known.
func (c *checker) signals(common *ssa.CallCommon) bool {
	var setters []*node
	if !c.stored(func(v *types.Var, value ssa.Value) bool {
		k, ok := value.(*ssa.Const)
		return v.Name() == "Pdeathsig" && !(ok && constantTruth(k) == zero)
	}) {
		return false
	}
	for _, n := range c.nodes {
		if n.has(func(instr ssa.Instruction) bool {
			store, ok := instr.(*ssa.Store)
			return ok && variable(store.Addr) != nil && variable(store.Addr).Name() == "Pdeathsig"
		}) {
			setters = append(setters, n)
		}
	}
	if common == nil || len(common.Args) == 0 {
		return true
	}
	values, _ := c.origins(common.Args[0], 0)
	set := reach(setters, func(n *node) []*node { return n.users })
	return len(values) == 0 || slices.ContainsFunc(values, func(v ssa.Value) bool {
		call, _ := fromCall(v)
		return call == nil || set[c.byFn[call.Parent()]]
	})
}

// ends says when the thread of a place ends while the child runs, or is empty.
func (c *checker) ends(p place) string {
	if strings.HasSuffix(p.lib, "/threadcall/keyed") {
		return "when its key is idle or given up"
	}
	if p.dies {
		return "with the goroutine, which is locked to it"
	}
	made, ok := p.owner.(*ssa.Call)
	if !ok || p.from == nil || made.Parent() != p.from.fn || typeName(made.Type()) == "Threads" {
		return ""
	}
	thread := ssa.Value(made)
	for _, instr := range *made.Referrers() { // of Start, which also returns an error
		if x, ok := instr.(*ssa.Extract); ok && x.Index == 0 {
			thread = x
		}
	}
	closed := false
	if !c.follow(thread, func(instr ssa.Instruction, _ ssa.Value) bool {
		use, ok := instr.(ssa.CallInstruction)
		if !ok || instr.Parent() != made.Parent() {
			return false
		}
		obj := c.function(use.Common())
		closed = closed || obj != nil && ending[obj.Name()]
		return obj != nil && libraryOf(obj.Pkg().Path()) == threadcallThread
	}) {
		return ""
	}
	switch name := p.from.name; {
	case !closed:
		return "after its last call, when it is collected"
	case name == "main" || c.awaits(p.from):
		return ""
	default:
		return "when " + name + " closes it"
	}
}

var ending = names("Close Terminate Stop Shutdown")

// awaits reports whether a node, or a literal in it, waits for a child.
func (c *checker) awaits(n *node) bool {
	return slices.ContainsFunc(c.nodes, func(m *node) bool {
		return (m == n || inside(m.fn, n.fn)) && m.has(func(instr ssa.Instruction) bool {
			call, ok := instr.(ssa.CallInstruction)
			return ok && slices.Contains([]string{"os/exec.Cmd.Wait", "os.Process.Wait"}, method(call.Common()))
		})
	})
}
