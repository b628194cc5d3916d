package threadvet

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// moveThreads notes the threads that functions given to them move, and the functions that are given
// to those which run them in another network namespace.
func (c *checker) moveThreads() {
	for _, n := range slices.Concat(c.nodes, c.starts) {
		for _, e := range c.effectsOf(callee{node: n}, nil) {
			for _, p := range n.places {
				if p.Kind == onThread && e.Moved != 0 {
					s := state{effect: e, at: p.at}
					c.spaces[p.which], c.spaces[p.owner] = s, s
				}
			}
		}
		for _, one := range n.calls {
			instr, ok := one.instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for _, f := range c.pooled(one.to, instr.Common()) {
				in := effect{Moved: netKind, By: c.describe(one.to.obj)}
				c.spaces[f.node] = state{effect: in, at: instr.Pos()}
			}
		}
	}
}

// checkSpaces reports what leaves the namespaces to which a thread has been moved: what continues
// on goroutines, such as http.Get, and goroutines that depend on the namespaces.
func (c *checker) checkSpaces() {
	for _, n := range c.nodes {
		s := c.spaces[n]
		for _, p := range n.places {
			for _, of := range []any{p.which, p.owner} {
				if of != nil && s.Moved == 0 {
					s = c.spaces[of]
				}
			}
		}
		for call := range each[ssa.CallInstruction](n.fn) {
			at := s
			if w := c.walks[n]; w != nil && w.calls[call].moved.Moved != 0 {
				at = w.calls[call].moved
			}
			if at.Moved != 0 {
				c.checkSpace(n, call, at)
			}
		}
	}
}

// checkSpace reports a call in this state that leaves the namespaces: itself, or by what it calls.
func (c *checker) checkSpace(n *node, instr ssa.CallInstruction, s state) {
	where := ", whose thread is not in the namespace of "
	if s.Moved == lockKind {
		where = ", whose thread is not restricted by "
	}
	where += s.By + " (" + c.position(s.at) + ")"
	// What the instruction calls, and starts on goroutines.
	calls, starts := &node{guards: n.guards}, &node{}
	for _, one := range n.calls {
		if one.instr == instr {
			calls.calls = append(calls.calls, one)
		}
	}
	for _, m := range slices.Concat(c.nodes, c.starts) {
		for _, p := range m.places {
			if p.instr == instr && p.Kind == elsewhere {
				starts.calls = append(starts.calls, call{instr: instr, to: callee{node: m}})
			}
		}
	}
	check := func(kinds int64, root *node, d demand, does string) {
		for f := range c.lead(root, d) {
			if s.Moved&kinds != 0 && (d != needAlone || !c.dials(instr, f.need)) {
				c.report(instr.Pos(), "namespace", f.need.What+does+" a goroutine"+where+c.calledBy(f))
				break
			}
		}
	}
	check(netKind|lockKind, calls, needAlone, " continues on")
	check(netKind|lockKind, starts, needNet, " runs on")
	check(^netKind, starts, needFiles, " runs on")
	for m := range reach(calls.called(), (*node).called) { // the goroutines that they start
		for g := range each[*ssa.Go](m.fn) {
			if c.walks[m] == nil {
				c.checkSpace(m, g, s)
			}
		}
	}
}

// dials reports whether an HTTP client may dial by a function of the package: the one that the call
// is given if that is known.
func (c *checker) dials(instr ssa.CallInstruction, need need) bool {
	if !strings.HasPrefix(need.What, "http.") || strings.Count(need.What, ".") < 2 {
		return false
	}
	for _, arg := range instr.Common().Args {
		values, _ := c.origins(arg, 0)
		if client, ok := append(values, nil)[0].(*ssa.Alloc); ok && len(values) == 1 &&
			typeName(client.Type()) == "Client" {
			if copies, _ := assigned(client); len(copies) > 0 {
				break
			}
			return slices.ContainsFunc(*client.Referrers(), func(instr ssa.Instruction) bool {
				at, ok := instr.(*ssa.FieldAddr)
				return ok && variable(at).Name() == "Transport"
			})
		}
	}
	return len(c.storing("DialContext", "Dial", "DialTLSContext")) > 0
}
