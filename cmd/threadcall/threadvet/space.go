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
		to := callee{node: n}
		if n.fn == nil {
			to = n.calls[0].to
		}
		for _, p := range n.places {
			for _, e := range c.effectsOf(to, nil) {
				if p.Kind == onThread && e.Moved != 0 {
					c.spaces[p.which], c.spaces[p.owner] = state{effect: e, at: p.at}, state{effect: e, at: p.at}
				}
			}
		}
		for _, one := range n.calls {
			if one.to.obj != nil && c.listed(one.to.obj, func(l *library) patterns { return l.Pools }) {
				for _, arg := range one.instr.(ssa.CallInstruction).Common().Args {
					list, _ := c.calleesOf(arg)
					for _, f := range list {
						in := effect{Moved: netKind, By: c.describe(one.to.obj)}
						c.spaces[f.node] = state{effect: in, at: one.instr.Pos()}
					}
				}
			}
		}
	}
}

// checkSpaces reports what leaves the namespaces to which a thread has been moved: what continues
// on goroutines, such as http.Get, and goroutines that depend on the namespaces.
func (c *checker) checkSpaces() {
	for _, n := range c.nodes {
		s, moved := c.spaces[n]
		for _, p := range n.places {
			for _, of := range []any{p.which, p.owner} {
				if at, ok := c.spaces[of]; ok && of != nil && !moved {
					s, moved = at, true
				}
			}
		}
		for instr := range instructions(n.fn) {
			call, ok := instr.(ssa.CallInstruction)
			if w := c.walks[n]; ok && w != nil && w.moved[call].Moved != 0 {
				c.checkSpace(n, call, w.moved[call])
			} else if ok && moved {
				c.checkSpace(n, call, s)
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
		for other := range instructions(m.fn) {
			if g, ok := other.(*ssa.Go); ok && c.walks[m] == nil {
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
			return slices.ContainsFunc(*client.Referrers(), func(instr ssa.Instruction) bool {
				at, ok := instr.(*ssa.FieldAddr)
				return ok && variable(at).Name() == "Transport"
			})
		}
	}
	return len(c.storing("DialContext", "Dial", "DialTLSContext")) > 0
}
