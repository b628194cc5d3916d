package threadvet

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
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
	direct := map[string][]*node{}
	for _, n := range c.nodes {
		for _, one := range n.calls {
			if to := one.to.node; to != nil {
				to.callers = append(to.callers, n)
			}
			for _, need := range one.needs {
				direct[need.Thread] = append(direct[need.Thread], n)
			}
		}
	}
	c.can = map[string]map[*node]bool{}
	for thread, list := range direct {
		c.can[thread] = reach(list, func(n *node) []*node { return n.callers })
	}
}

// threads returns the threads that something needs, in order.
func (c *checker) threads() []string {
	return slices.Sorted(maps.Keys(c.can))
}

// lead yields the calls that need the thread and to which calls from root lead, the nearest first,
// until yield returns false.
func (c *checker) lead(root *node, thread string, yield func(found) bool) {
	can := c.can[thread]
	if !can[root] {
		return
	}
	seen := map[*node]step{root: {}}
	for queue := []*node{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for _, one := range n.calls {
			if one.guarded(thread) || c.marks.ignored(one.at) ||
				(thread == needUnlocked || thread == lockedThread) && !c.unlocked(n, one.instr) {
				continue
			}
			for _, need := range one.needs {
				if need.Thread != thread {
					continue
				}
				f := found{need: need, at: one.at, path: slices.Clone(need.Path)}
				for m := (step{n, one.at}); m.from != nil; m = seen[m.from] {
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

// exportFunctions exports what other packages must know.
func (c *checker) exportFunctions() {
	c.reachable()
	if c.pass.Pkg.Name() == "main" {
		return
	}
	for _, n := range c.nodes {
		if n.obj == nil || n.obj.Name() == "_" || n.obj.Name() == "init" {
			continue
		}
		f := funcFact{On: n.on, Runs: c.marks.runs[n.obj], Inits: n.inits}
		f.Effects = worthy(c.effectsOf(callee{node: n}, nil))
		for i := range n.fn.Signature.Results().Len() {
			if list := worthy(c.returns(n, i)); list != nil {
				if f.Returns == nil {
					f.Returns = map[int][]effect{}
				}
				f.Returns[i] = list
			}
		}
		if n.on == "" {
			for _, thread := range c.threads() {
				c.lead(n, thread, func(at found) bool {
					what := at.need.What
					if at.need.own {
						what = c.pass.Pkg.Name() + "." + what
					}
					f.Needs = append(f.Needs, need{Thread: thread, What: what, Path: c.qualified(at.path),
						Library: at.need.Library, NoTests: at.need.NoTests, Fix: at.need.Fix})
					return false
				})
			}
		}
		for i, u := range n.uses {
			if u.Kind != unknownUse {
				f.Params = append(f.Params, make([]use, i+1-len(f.Params))...)
				f.Params[i] = u
			}
		}
		if f.On != "" || f.Runs != "" || f.Inits ||
			len(f.Needs)+len(f.Params)+len(f.Effects)+len(f.Returns) > 0 {
			c.pass.ExportObjectFact(n.obj, &f)
		}
	}
	for obj, name := range c.marks.on {
		switch obj := obj.(type) {
		case *types.Func:
			if c.pkg.Prog.FuncValue(obj) == nil { // of an interface
				c.pass.ExportObjectFact(obj, &funcFact{On: name})
			}
		case *types.TypeName:
			if i, ok := obj.Type().Underlying().(*types.Interface); ok {
				for m := range i.ExplicitMethods() {
					c.pass.ExportObjectFact(m, &funcFact{On: c.markOf(m)})
				}
			}
		case *types.Var:
			if obj.IsField() || obj.Parent() == c.pass.Pkg.Scope() {
				c.pass.ExportObjectFact(obj, &varFact{name})
			}
		}
	}
	for v, values := range c.stores {
		if v.Pkg() != c.pass.Pkg || !v.Exported() || c.marks.on[v] != "" {
			continue
		}
		switch typeName(v.Type()) {
		case "Thread", "Pool":
			if id := c.identify(&ssa.Phi{Edges: values}); id.name != "" {
				c.pass.ExportObjectFact(v, &varFact{id.name})
			}
		}
	}
}

// qualified returns a path as other packages see it.
func (c *checker) qualified(path []string) []string {
	path = slices.Clone(path)
	for i, name := range path {
		if before, _, _ := strings.Cut(name, " ("); !strings.Contains(before, " ") {
			path[i] = c.pass.Pkg.Name() + "." + strings.TrimPrefix(name, c.pass.Pkg.Name()+".")
		}
	}
	return path
}

// worthy returns effects, or nil if they are none.
func worthy(list []effect) []effect {
	if slices.ContainsFunc(list, func(e effect) bool { return e.Locks != 0 || e.Moved|e.Back != 0 }) {
		return list
	}
	return nil
}

// report reports a call once.
func (c *checker) report(pos token.Pos, key, message string) {
	if c.news(pos, key) {
		c.pass.Report(analysis.Diagnostic{Pos: pos, Category: key, Message: message})
	}
}

// news reports whether something is to be reported at pos, and is not yet.
func (c *checker) news(pos token.Pos, key string) bool {
	if c.reported[pos] == nil {
		c.reported[pos] = map[string]bool{}
	}
	if c.reported[pos][key] || c.marks.ignored(pos) {
		return false
	}
	c.reported[pos][key] = true
	return true
}

// checkCalls reports the calls that are made elsewhere than on their thread.
func (c *checker) checkCalls() {
	for _, n := range c.nodes {
		for _, p := range c.placesOf(n) {
			if c.marks.ignored(p.at) {
				continue
			}
			if n.on != "" && p.from != nil {
				if p.off(n.on) && !c.declares(n, p) {
					c.checkPlace(p, []found{{at: p.at, need: need{Thread: n.on, What: n.name}}})
				}
				continue // what the mark promises is true in it
			}
			p.own = p.own || n.owns()
			for _, thread := range c.threads() {
				var list []found
				c.lead(n, thread, func(at found) bool {
					list = append(list, at)
					return true
				})
				c.checkPlace(p, list)
			}
		}
	}
	for _, s := range c.starts {
		for _, need := range s.needs {
			c.checkPlace(s.place, []found{{need: need, at: s.at, path: need.Path}})
		}
	}
}

// checkPlace reports the wrong ones of the calls to which a place leads: several in one report.
func (c *checker) checkPlace(p place, list []found) {
	var wrong []found
	var messages []string
	category := ""
	for _, f := range list {
		key, message := c.judge(f.need, p)
		if message != "" && c.news(f.at, key) {
			wrong, messages, category = append(wrong, f), append(messages, message), key
		}
	}
	if len(wrong) == 0 {
		return
	}
	at, text := wrong[0].at, messages[0]+way(wrong[0].path, p)
	if len(wrong) > 1 {
		at, text = p.at, fmt.Sprintf("%d calls are wrong in a function %s:", len(wrong), p.how)
		for i, f := range wrong {
			text += "\n\t" + messages[i] + calledBy(f.path)
		}
	}
	if p.lib == "runtime" { // a finalizer or cleanup
		text += "; thread.AddCleanup of threadcall runs it on its thread"
	}
	c.pass.Report(analysis.Diagnostic{Pos: at, Category: category, Message: text,
		SuggestedFixes: c.fixes(p, wrong)})
}

// judge returns what is wrong with a call to which a place leads, and its category, or "".
func (c *checker) judge(need need, p place) (category, message string) {
	switch thread := need.Thread; {
	case thread == needUnlocked:
		if p.served {
			return "unlock", "runtime.UnlockOSThread must not be called without runtime.LockOSThread on " +
				threadName(p.thread) + ", which runs other functions later"
		}
	case strings.HasPrefix(thread, needOutside):
		if p.served && p.lib == strings.TrimPrefix(thread, needOutside) {
			return "wait", need.What + " waits for ever on " + threadName(p.thread)
		}
	case strings.HasPrefix(thread, needOff):
		if name := strings.TrimPrefix(thread, needOff); p.kind == onThread && p.thread == name {
			return thread, need.What + " must not be called on " + threadName(name)
		}
	case thread == needBlock:
		if p.kind == onThread && p.thread == mainThread && (p.from != nil || p.events) {
			return "block", need.What + " blocks the main thread"
		}
	case strings.HasPrefix(thread, "!"):
	case p.from == nil && p.thread == mainThread && c.adopts():
	case need.NoTests && p.test:
	case p.off(thread):
		return thread, need.What + " must be called on " + threadName(thread)
	}
	return "", ""
}

// adopts reports whether the package takes a thread of its own choice for one of package thread.
func (c *checker) adopts() bool {
	return slices.ContainsFunc(c.nodes, func(n *node) bool { return n.adopts })
}

// declares reports whether the mark of a node says what thread the place is: a literal where it is
// started, or a function that takes a thread for itself.
func (c *checker) declares(n *node, p place) bool {
	return n.obj == nil && c.position(n.fn.Pos()) == c.position(p.at) ||
		p.kind == elsewhere && n.on != mainThread && n.owns()
}

// way returns the functions that lead from a place to a call, for a report.
func way(path []string, p place) string {
	if len(path) == 0 {
		return here(p)
	}
	return calledBy(path) + ", " + p.how
}

func calledBy(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return "; called by " + strings.Join(path, ", called by ")
}

// here returns what a place does with the function that a report is about.
func here(p place) string {
	how := strings.TrimPrefix(p.how, "which ")
	if rest, ok := strings.CutPrefix(how, "runs "); ok {
		return "; here it runs " + rest
	}
	if strings.Contains(how, " runs ") {
		return "; here " + strings.Replace(how, " runs ", " runs it ", 1)
	}
	return "; here " + strings.Replace(how, " calls ", " calls it ", 1)
}

// placesOf returns where a node starts.
func (c *checker) placesOf(n *node) []place {
	if n.on == anyThread {
		return nil
	}
	list := c.places[n]
	at := n.fn.Pos()
	if n.on != "" {
		list = append(list[:len(list):len(list)], place{at: at, kind: onThread, thread: n.on, which: n.on,
			events: true, how: "which is marked //threadcall:on " + n.on})
	}
	if n.fn.Parent() != nil {
		return list
	}
	switch sig := n.fn.Signature; {
	case n.obj == nil || sig.Recv() == nil && (n.obj.Name() == "init" || n.obj.Name() == "main" &&
		c.pass.Pkg.Name() == "main"):
		list = append(list, place{at: at, kind: onThread, thread: mainThread,
			loose: !n.initializes() && !c.locks, events: !n.initializes() && c.can[mainThread][n],
			how: "which runs on the main thread"})
	case c.isTest(n):
		list = append(list, place{at: at, kind: elsewhere, test: true,
			how: "which package testing runs on a goroutine"})
	case n.obj.Name() == "ServeHTTP" && sig.Recv() != nil && sig.Params().Len() == 2 &&
		sig.Params().At(0).Type().String() == "net/http.ResponseWriter":
		list = append(list, place{at: at, kind: elsewhere, how: "which an HTTP server runs on a " +
			"goroutine"})
	}
	return list
}

// isTest reports whether package testing runs the function on a goroutine of its own.
func (c *checker) isTest(n *node) bool {
	if n.obj == nil || n.fn.Signature.Recv() != nil || n.fn.Signature.Params().Len() != 1 ||
		!strings.HasSuffix(c.pass.Fset.Position(n.fn.Pos()).Filename, "_test.go") {
		return false
	}
	param := n.fn.Signature.Params().At(0).Type().String()
	for prefix, t := range map[string]string{"Test": "*testing.T", "Benchmark": "*testing.B",
		"Fuzz": "*testing.F"} {
		if strings.HasPrefix(n.obj.Name(), prefix) && param == t {
			return true
		}
	}
	return false
}
