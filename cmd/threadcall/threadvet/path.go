package threadvet

import (
	"go/token"
	"iter"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A found is a call that needs a thread, and the way to it.
type found struct {
	need need
	at   token.Pos // the last call in this package
	way  []step    // that lead to it, the last one first
}

// A step is a call that a node makes.
type step struct {
	from *node
	at   token.Pos
}

// path returns the functions that lead to what needs the thread, innermost first. In other packages
// the names of functions have that of this one before them.
func (c *checker) path(f found, elsewhere bool) []string {
	path := slices.Clone(f.need.Path)
	for _, s := range f.way {
		name := s.from.name
		if elsewhere && s.from.obj != nil {
			name = c.pass.Pkg.Name() + "." + name
		}
		path = append(path, name+" ("+c.position(s.at)+")")
	}
	return path
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

// lead yields the calls that have the demand and to which calls from root lead, the nearest first.
func (c *checker) lead(root *node, d demand) iter.Seq[found] {
	return func(yield func(found) bool) {
		if root.fn != nil && !c.can[d][root] {
			return
		}
		seen := map[*node]step{root: {}}
		for queue := []*node{root}; len(queue) > 0; queue = queue[1:] {
			n := queue[0]
			for _, one := range n.calls {
				this := step{n, one.instr.Pos()}
				if n.guarded(one.instr, d) || c.marks.ignored(this.at) ||
					(d == needUnlocked || d == lockedThread) && !c.walks[n].unlocked(one.instr) {
					continue
				}
				for _, need := range one.needs {
					if need.Demand != d {
						continue
					}
					f := found{need: need, at: this.at}
					for m := this; m.from != nil && m.from.fn != nil; m = seen[m.from] {
						f.way = append(f.way, m)
					}
					if !yield(f) {
						return
					}
				}
				to := one.to.node
				if _, known := seen[to]; to != nil && to.on == "" && c.can[d][to] && !known {
					seen[to] = this
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
	list := slices.Clip(n.places)
	if n.on != "" {
		u := use{Kind: onThread, Thread: n.on, How: "which is marked //threadcall:on " + n.on}
		list = append(list, place{use: u, at: n.fn.Pos(), which: n.on, events: true})
	}
	if n.fn == nil || n.fn.Parent() != nil {
		return list
	}
	goes, sig := use{Kind: elsewhere}, n.fn.Signature
	switch {
	case n.initializes() || n.isFunc("main") && c.pass.Pkg.Name() == "main":
		u := use{Kind: onThread, Thread: mainThread, How: "which runs on the main thread"}
		list = append(list, place{use: u, at: n.fn.Pos(), loose: !n.initializes() && !c.fact.Locks,
			events: !n.initializes() && c.can[mainThread][n]})
	case c.isTest(n):
		list = append(list, place{use: goes.by("package testing"), at: n.fn.Pos(), lib: "testing"})
	case n.obj.Name() == "ServeHTTP" && sig.Recv() != nil && sig.Params().Len() == 2 &&
		sig.Params().At(0).Type().String() == "net/http.ResponseWriter":
		list = append(list, place{use: goes.by("an HTTP server"), at: n.fn.Pos()})
	}
	return list
}

// testFunction matches the name and parameter of a function that package testing runs.
var testFunction = regexp.MustCompile(
	`^(Test.*\*testing\.T|Benchmark.*\*testing\.B|Fuzz.*\*testing\.F)$`)

// isTest reports whether package testing runs the function on a goroutine of its own.
func (c *checker) isTest(n *node) bool {
	params := n.fn.Signature.Params()
	return n.obj != nil && n.isFunc(n.obj.Name()) && params.Len() == 1 && c.inTest(n) &&
		testFunction.MatchString(n.obj.Name()+params.At(0).Type().String())
}

// A guard is an instruction from which on the node is on a thread for certain: Assert, or the first
// one after On as a condition.
type guard struct {
	thread string
	from   ssa.Instruction
}

func (c *checker) guardsOf(n *node) (list []guard) {
	for instr := range each[ssa.Instruction](n.fn) {
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
	switch full := c.called(call); {
	case full == mainPackage+"."+name:
		return mainThread
	case strings.HasPrefix(full, threadPackage+".") && strings.HasSuffix(full, "."+name):
		if thread := c.identify(call.Args[0]); thread != "" && thread != unknownThread {
			return thread
		}
		return anyThread // of some thread nothing is known any more
	}
	return ""
}

// guarded reports whether the node is on the thread at an instruction, or may be.
func (n *node) guarded(instr ssa.Instruction, d demand) bool {
	if d == needInit { // on the main thread nothing waits for it to be served
		d = mainThread
	}
	return slices.ContainsFunc(n.guards, func(g guard) bool {
		return (g.thread == string(d) || g.thread == anyThread) && dominates(g.from, instr)
	})
}
