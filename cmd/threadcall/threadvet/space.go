package threadvet

import "golang.org/x/tools/go/ssa"

// moveThreads notes the threads that functions given to them move, and the functions that are given
// to those which run them in another network namespace.
func (c *checker) moveThreads() {
	for _, n := range c.nodes {
		for _, p := range c.places[n] {
			for _, e := range c.effectsOf(callee{node: n}, nil) {
				if p.owner != nil && p.kind == onThread && e.Moved != 0 {
					c.spaces[p.owner] = state{effect: e, at: p.at}
				}
			}
		}
		for _, one := range n.calls {
			if one.to.obj != nil && c.listed(one.to.obj, func(l *library) patterns { return l.Pools }) {
				for _, arg := range one.instr.(ssa.CallInstruction).Common().Args {
					list, _ := c.calleesOf(arg)
					for _, f := range list {
						c.spaces[f.node] = state{effect: effect{Moved: netKind, By: c.describe(one.to.obj)}, at: one.at}
					}
				}
			}
		}
	}
}

// checkSpaces reports what leaves the namespaces to which a thread has been moved: what continues on
// goroutines, such as http.Get, and goroutines that depend on the namespaces.
func (c *checker) checkSpaces() {
	for _, n := range c.nodes {
		if w := c.walks[n]; w != nil {
			for instr, s := range w.moved {
				c.checkSpace(n, instr, s)
			}
		}
		s, moved := c.spaces[n]
		for _, p := range c.places[n] {
			if of, ok := c.spaces[p.owner]; ok && !moved {
				s, moved = of, true
			}
		}
		for instr := range instructions(n.fn) {
			if call, ok := instr.(ssa.CallInstruction); ok && moved {
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
	does, needs := " continues on a goroutine", []string{needAlone}
	root := &node{} // of the calls of the instruction, which needs no name in the path
	if _, goes := instr.(*ssa.Go); goes {
		does, needs = " runs on a goroutine", []string{needNet, needFiles}
		for _, to := range c.static(instr.Common()) {
			root.calls = append(root.calls, call{at: instr.Pos(), to: to, needs: c.needsOf(to, instr.Common())})
		}
	}
	for _, one := range n.calls {
		if one.instr == instr {
			root.calls = append(root.calls, one)
		}
	}
	for _, thread := range needs {
		if s.Moved&lockKind == 0 && (thread == needFiles && s.Moved&^netKind == 0 ||
			thread != needFiles && s.Moved&netKind == 0) {
			continue // in the namespaces in which it is not
		}
		c.lead(root, thread, func(f found) bool {
			c.report(instr.Pos(), "namespace", f.need.What+does+where+calledBy(f.path))
			return false
		})
	}
	for m := range reach(root.called(), (*node).called) {
		for other := range instructions(m.fn) { // the goroutines that it starts
			if g, ok := other.(*ssa.Go); ok && c.walks[m] == nil && does == " continues on a goroutine" {
				c.checkSpace(m, g, s)
			}
		}
	}
}
