package threadvet

import (
	"go/token"
	"maps"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A found is a call that needs a thread, and the way to it.
type found struct {
	need need
	at   token.Pos // the last call in this package
	path []string  // the functions that lead to what needs the thread, innermost first
	way  []step    // those of this package
}

// A step is a call that a node makes.
type step struct {
	from *node
	at   token.Pos
}

// reachable finds for every thread the nodes from which a call leads to a need of it.
func (c *checker) reachable() {
	direct := map[demand][]*node{}
	for _, n := range slices.Concat(c.nodes, c.starts) {
		for _, one := range n.calls {
			if to := one.to.node; to != nil {
				to.callers = append(to.callers, n)
			}
			for _, need := range one.needs {
				direct[need.Demand] = append(direct[need.Demand], n)
			}
		}
	}
	c.can = map[demand]map[*node]bool{}
	for d, list := range direct {
		c.can[d] = reach(list, func(n *node) []*node { return n.callers })
	}
}

// demands returns those of all needs, in order.
func (c *checker) demands() []demand {
	return slices.Sorted(maps.Keys(c.can))
}

// lead yields the calls that have the demand and to which calls from root lead, the nearest first,
// until yield returns false.
func (c *checker) lead(root *node, d demand, yield func(found) bool) {
	can := c.can[d]
	if root.fn != nil && !can[root] {
		return
	}
	seen := map[*node]step{root: {}}
	for queue := []*node{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for _, one := range n.calls {
			if one.guarded(d) || c.marks.ignored(one.at) ||
				(d == needUnlocked || d == lockedThread) && !c.unlocked(n, one.instr) {
				continue
			}
			for _, need := range one.needs {
				if need.Demand != d {
					continue
				}
				f := found{need: need, at: one.at, path: slices.Clone(need.Path)}
				for m := (step{n, one.at}); m.from != nil && m.from.fn != nil; m = seen[m.from] {
					f.path = append(f.path, m.from.name+" ("+c.position(m.at)+")")
					f.way = append(f.way, m)
				}
				if !yield(f) {
					return
				}
			}
			if to := one.to.node; to != nil && to.on == "" && can[to] {
				if _, ok := seen[to]; !ok {
					seen[to] = step{n, one.at}
					queue = append(queue, to)
				}
			}
		}
	}
}

// placesOf returns where a node starts.
func (c *checker) placesOf(n *node) []place {
	if n.on == anyThread {
		return nil
	}
	list := c.places[n]
	if n.on != "" {
		list = append(slices.Clip(list), place{at: n.fn.Pos(), kind: onThread, thread: n.on, which: n.on,
			events: true, how: "which is marked //threadcall:on " + n.on})
	}
	if n.fn == nil || n.fn.Parent() != nil {
		return list
	}
	switch sig, at := n.fn.Signature, n.fn.Pos(); {
	case n.obj == nil || sig.Recv() == nil && (n.obj.Name() == "init" || n.obj.Name() == "main" &&
		c.pass.Pkg.Name() == "main"):
		list = append(list, place{at: at, kind: onThread, thread: mainThread,
			loose: !n.initializes() && !c.fact.Locks, events: !n.initializes() && c.can[mainThread][n],
			how: "which runs on the main thread"})
	case c.isTest(n):
		list = append(list, place{at: at, kind: elsewhere, lib: "testing",
			how: "which package testing runs on a goroutine"})
	case n.obj.Name() == "ServeHTTP" && sig.Recv() != nil && sig.Params().Len() == 2 &&
		sig.Params().At(0).Type().String() == "net/http.ResponseWriter":
		list = append(list, place{at: at, kind: elsewhere, how: "which an HTTP server runs on a " +
			"goroutine"})
	}
	return list
}

// testFunction matches the name and parameter of a function that package testing runs.
var testFunction = regexp.MustCompile(
	`^(Test.*\*testing\.T|Benchmark.*\*testing\.B|Fuzz.*\*testing\.F)$`)

// isTest reports whether package testing runs the function on a goroutine of its own.
func (c *checker) isTest(n *node) bool {
	sig := n.fn.Signature
	return n.obj != nil && sig.Recv() == nil && sig.Params().Len() == 1 && c.inTest(n) &&
		testFunction.MatchString(n.obj.Name()+sig.Params().At(0).Type().String())
}

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
func (c call) guarded(d demand) bool {
	if d == needInit { // on the main thread nothing waits for it to be served
		d = mainThread
	}
	return c.guards[string(d)] || c.guards[anyThread]
}
