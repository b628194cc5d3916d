package threadvet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A guard is an instruction from which on the node is on a thread for certain: Assert, or the first
// one after On as a condition.
type guard struct {
	thread string
	from   ssa.Instruction
}

func (c *checker) guardsOf(n *node) (list []guard) {
	for instr := range instructions(n.fn) {
		switch x := instr.(type) {
		case *ssa.Call:
			if thread := c.checks(&x.Call, "Assert"); thread != "" {
				list = append(list, guard{thread, x})
			}
		case *ssa.If:
			cond, yes := positive(x.Cond)
			for i, succ := range x.Block().Succs {
				thread := ""
				switch cond := cond.(type) {
				case *ssa.Parameter: // which may say what thread this is
					thread = anyThread
				case *ssa.Call:
					if yes == (i == 0) {
						thread = c.checks(&cond.Call, "On")
					}
				}
				if thread != "" && len(succ.Preds) == 1 {
					list = append(list, guard{thread, succ.Instrs[0]})
				}
			}
		}
	}
	return list
}

// positive returns a condition without its negations, and whether there is an even number of them.
func positive(cond ssa.Value) (of ssa.Value, yes bool) {
	if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		of, yes = positive(not.X)
		return of, !yes
	}
	return cond, true
}

// checks returns the thread that the call checks by a function of that name, or "".
func (c *checker) checks(call *ssa.CallCommon, name string) string {
	obj := c.function(call)
	if obj == nil || obj.Name() != name {
		return ""
	}
	switch libraryOf(obj.Pkg().Path()) {
	case threadcallMain:
		return mainThread
	case threadcallThread:
		if id := c.identify(call.Args[0]); id.name != "" {
			return id.name
		}
		return anyThread // some thread: nothing is known any more
	}
	return ""
}

// guardedAt returns the threads that the node with these guards is on at an instruction.
func guardedAt(list []guard, instr ssa.Instruction) (threads map[string]bool) {
	for _, g := range list {
		if dominates(g.from, instr) {
			if threads == nil {
				threads = map[string]bool{}
			}
			threads[g.thread] = true
		}
	}
	return threads
}

// guarded reports whether the call is on the thread, or may be.
func (c call) guarded(thread string) bool {
	if thread == needInit { // on the main thread nothing waits for it to be served
		thread = mainThread
	}
	return c.guards[thread] || c.guards[anyThread]
}
