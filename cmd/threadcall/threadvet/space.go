package threadvet

import (
	"golang.org/x/tools/go/ssa"
)

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

// moveThreads notes the threads that functions given to them move, and functions that are given to
// those which run them in another network namespace.
func (c *checker) moveThreads() {
	for _, n := range c.nodes {
		for _, one := range n.calls {
			if one.to.obj == nil || !c.listed(one.to.obj, func(l *library) patterns { return l.Pools }) {
				continue
			}
			for _, arg := range one.instr.(ssa.CallInstruction).Common().Args {
				list, _ := c.calleesOf(arg)
				for _, f := range list {
					if f.node != nil {
						c.spaces[f.node] = state{effect: effect{Moved: netKind, By: c.describe(one.to.obj)}, at: one.at}
					}
				}
			}
		}
		for _, p := range c.places[n] {
			for _, e := range c.effectsOf(callee{node: n}, nil) {
				if p.owner != nil && p.kind == onThread && e.Moved != 0 {
					c.spaces[p.owner] = state{effect: e, at: p.at}
				}
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
	var calls []call
	var threads []string
	does := " continues on a goroutine"
	if _, goes := instr.(*ssa.Go); goes {
		does = " runs on a goroutine"
		for _, to := range c.static(instr.Common()) {
			calls = append(calls, call{to: to, needs: c.needsOf(to, instr.Common())})
		}
		if s.Moved&^netKind != 0 {
			threads = append(threads, needFiles)
		}
		if s.Moved&(netKind|lockKind) != 0 {
			threads = append(threads, needNet)
		}
	} else {
		for _, one := range n.calls {
			if one.instr == instr {
				calls = append(calls, one)
			}
		}
		if s.Moved&(netKind|lockKind) != 0 {
			threads = append(threads, needAlone)
		}
	}
	for _, one := range calls {
		for _, thread := range threads {
			report := func(f found) bool {
				c.report(instr.Pos(), "namespace", f.need.What+does+where+calledBy(f.path))
				return false
			}
			for _, need := range one.needs {
				if need.Thread == thread {
					report(found{need: need, path: need.Path})
				}
			}
			if one.to.node == nil {
				continue
			}
			c.lead(one.to.node, thread, report)
			for m := range reach([]*node{one.to.node}, (*node).called) {
				for other := range instructions(m.fn) { // the goroutines that it starts
					if g, ok := other.(*ssa.Go); ok && c.walks[m] == nil && one.instr != nil {
						c.checkSpace(m, g, s)
					}
				}
			}
		}
	}
}
