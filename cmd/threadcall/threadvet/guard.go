package threadvet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// guards returns for the blocks of a node the threads that it is on there, and the instructions
// after which it is on one for certain: Assert, or On as a condition.
type guards struct {
	list []guard
}

type guard struct {
	thread string
	block  *ssa.BasicBlock
	after  int // the instruction of the block
}

func (c *checker) guardsOf(n *node) *guards {
	g := &guards{}
	for _, b := range n.fn.Blocks {
		for i, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Call:
				if thread := c.checks(&instr.Call, "Assert"); thread != "" {
					g.list = append(g.list, guard{thread, b, i})
				}
			case *ssa.If:
				cond, yes := positive(instr.Cond)
				if _, ok := cond.(*ssa.Parameter); ok { // which may say what thread this is
					for _, succ := range b.Succs {
						if len(succ.Preds) == 1 {
							g.list = append(g.list, guard{anyThread, succ, -1})
						}
					}
					break
				}
				call, ok := cond.(*ssa.Call)
				if !ok {
					break
				}
				on := b.Succs[1]
				if yes {
					on = b.Succs[0]
				}
				if thread := c.checks(&call.Call, "On"); thread != "" && len(on.Preds) == 1 {
					g.list = append(g.list, guard{thread, on, -1})
				}
			}
		}
	}
	return g
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
	fn := call.StaticCallee()
	if fn == nil || fn.Name() != name {
		return ""
	}
	obj := c.calleeOf(fn).obj
	if obj == nil || obj.Pkg() == nil {
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

// at returns the threads that the node is on at instruction i of b.
func (g *guards) at(b *ssa.BasicBlock, i int) (threads map[string]bool) {
	for _, one := range g.list {
		if one.block == b && one.after < i || one.block != b && one.block.Dominates(b) {
			if threads == nil {
				threads = map[string]bool{}
			}
			threads[one.thread] = true
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
