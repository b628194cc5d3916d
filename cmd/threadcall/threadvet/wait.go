package threadvet

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// checkWaits reports waits that never end: a function that a thread runs waits for a channel or a
// sync.WaitGroup, and all that would end the wait comes after a function that the same thread is to
// run later. Channels and groups that leave the function are not judged.
func (c *checker) checkWaits() {
	for _, n := range c.nodes {
		if n.serves || n.on == anyThread {
			continue // Serve runs what is to run later
		}
		for _, p := range c.placesOf(n) {
			for instr := range each[ssa.Instruction](n.fn) {
				if p.which != nil {
					c.checkWait(n, p, instr)
				}
			}
		}
	}
}

func (c *checker) checkWait(n *node, p place, instr ssa.Instruction) {
	var enders []ssa.Instruction
	what := ""
	switch x := instr.(type) {
	case *ssa.UnOp:
		if x.Op == token.ARROW {
			enders, what = c.enders(x.X), "a channel"
		}
	case *ssa.Call:
		if c.called(&x.Call) == "sync.WaitGroup.Wait" {
			enders, what = c.enders(x.Call.Args[0]), "a sync.WaitGroup"
		}
	}
	var after ssa.Instruction
	for _, ender := range enders {
		if after = c.blocked(ender, n, p.which); after == nil {
			return
		}
	}
	if after != nil {
		c.report(instr.Pos(), "wait", "this waits for "+what+" on "+threadName(p.Thread)+", "+p.How+
			", but what ends the wait must itself run there, by the call at "+c.position(after.Pos()))
	}
}

// enders returns what ends a wait for a channel or a sync.WaitGroup, of which v is the address:
// sends, calls, and returns of functions that defer a call. It is nothing if not all are known.
func (c *checker) enders(v ssa.Value) (list []ssa.Instruction) {
	use := func(instr ssa.Instruction, v ssa.Value) bool {
		switch x := instr.(type) {
		case *ssa.UnOp, *ssa.BinOp, *ssa.DebugRef, *ssa.MakeClosure:
			return true
		case *ssa.Select:
			return !slices.ContainsFunc(x.States, func(s *ssa.SelectState) bool {
				return s.Dir != types.RecvOnly && s.Chan == v || s.Send == v
			})
		case *ssa.Send:
			list = append(list, x)
			return x.X != v
		case ssa.CallInstruction:
			b, builtin := x.Common().Value.(*ssa.Builtin)
			_, deferred := x.(*ssa.Defer)
			name := strings.TrimPrefix(c.called(x.Common()), "sync.WaitGroup.")
			switch {
			case builtin && b.Name() == "close", name == "Done":
				if deferred {
					list = append(list, returns(x.Parent())...)
				} else {
					list = append(list, x)
				}
				return true
			case name == "Go":
				functions, ok := c.calleesOf(x.Common().Args[1])
				for _, f := range functions {
					if f.node == nil {
						return false
					}
					list = append(list, returns(f.node.fn)...)
				}
				return ok
			}
			return builtin || name == "Add" || name == "Wait"
		}
		return false
	}
	ok := false
	if group := local(v); group != nil && typeName(group.Type()) == "WaitGroup" {
		ok = true
		uses(group, func(instr ssa.Instruction, alias ssa.Value) { ok = use(instr, alias) && ok })
	} else if values, known := c.origins(v, 0); known && len(values) == 1 {
		made, is := values[0].(*ssa.MakeChan)
		ok = is && follow(made, use)
	}
	if !ok {
		return nil
	}
	return list
}

// returns returns how a function ends.
func returns(fn *ssa.Function) (list []ssa.Instruction) {
	for end := range each[*ssa.Return](fn) {
		if end.Block() != fn.Recover {
			list = append(list, end)
		}
	}
	return list
}

// blocked returns a call that must have run a function on the thread before an instruction can end
// a wait of n, which is on the thread, or nil.
func (c *checker) blocked(ender ssa.Instruction, n *node, which any) ssa.Instruction {
	fn := ender.Parent()
	f := c.byFn[fn]
	if f == nil || f == n || len(f.places) != 1 || !inside(fn, n.fn) || len(f.callers) > 0 {
		return nil
	}
	p := f.places[0]
	if p.from == nil || p.from != n && !inside(p.from.fn, n.fn) {
		return nil
	}
	if p.Kind == onThread && p.Later && p.which == which {
		return p.instr
	}
	if p.Kind != elsewhere {
		return nil
	}
	// A call that the goroutine makes to the thread, and waits for.
	for _, o := range slices.Concat(c.nodes, c.starts) {
		for _, q := range o.places {
			if q.from == f && !q.Later && q.which == which && dominates(q.instr, ender) {
				return q.instr
			}
		}
	}
	return nil
}

// inside reports whether fn is a literal in outer.
func inside(fn, outer *ssa.Function) bool {
	for fn = fn.Parent(); fn != nil; fn = fn.Parent() {
		if fn == outer {
			return true
		}
	}
	return false
}
