package threadvet

import (
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
}

// reachable finds for every thread the nodes from which a call leads to a need of it.
func (c *checker) reachable() {
	c.can = map[string]map[*node]bool{}
	callers := map[*node][]*node{}
	for _, n := range c.nodes {
		for _, one := range n.calls {
			if one.to.node != nil {
				callers[one.to.node] = append(callers[one.to.node], n)
			}
			for _, need := range one.needs {
				if c.can[need.Thread] == nil {
					c.can[need.Thread] = map[*node]bool{}
				}
				c.can[need.Thread][n] = true
			}
		}
	}
	for _, set := range c.can {
		list := slices.Collect(maps.Keys(set))
		for len(list) > 0 {
			n := list[0]
			list = list[1:]
			for _, caller := range callers[n] {
				if !set[caller] {
					set[caller] = true
					list = append(list, caller)
				}
			}
		}
	}
}

// threads returns the threads that something needs, in order.
func (c *checker) threads() []string {
	return slices.Sorted(maps.Keys(c.can))
}

// lead yields the calls that need the thread and to which calls from root lead, the nearest first,
// until yield returns false.
func (c *checker) lead(root *node, thread string, yield func(found) bool) {
	type step struct {
		from *node
		at   token.Pos
	}
	can := c.can[thread]
	if !can[root] {
		return
	}
	seen := map[*node]step{root: {}}
	for queue := []*node{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if n != root && thread == needUnlocked && n.locks {
			continue
		}
		for _, one := range n.calls {
			if one.guarded(thread) || c.marks.ignored(one.at) {
				continue
			}
			for _, need := range one.needs {
				if need.Thread != thread {
					continue
				}
				path := slices.Clone(need.Path)
				for m, at := n, one.at; m != nil; m, at = seen[m].from, seen[m].at {
					path = append(path, m.name+" ("+c.position(at)+")")
				}
				if !yield(found{need, one.at, path}) {
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
		f := funcFact{On: n.on, Runs: c.marks.runs[n.obj], Inits: n.inits, Moves: n.moves}
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
		if f.On != "" || f.Runs != "" || f.Inits || f.Moves || len(f.Needs)+len(f.Params) > 0 {
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

// report reports a call once.
func (c *checker) report(pos token.Pos, key, message string) {
	c.reportNeed(pos, key, message, need{})
}

// reportNeed reports a call, with fixes for what it needs.
func (c *checker) reportNeed(pos token.Pos, key, message string, need need) {
	if c.reported[pos] == nil {
		c.reported[pos] = map[string]bool{}
	}
	if c.reported[pos][key] || c.marks.ignored(pos) {
		return
	}
	c.reported[pos][key] = true
	c.pass.Report(analysis.Diagnostic{Pos: pos, Category: key, Message: message,
		SuggestedFixes: c.fixes(pos, need)})
}

// checkCalls reports the calls that are made elsewhere than on their thread.
func (c *checker) checkCalls() {
	adopts := slices.ContainsFunc(c.nodes, func(n *node) bool { return n.adopts })
	for _, n := range c.nodes {
		for _, p := range c.placesOf(n) {
			if c.marks.ignored(p.at) {
				continue
			}
			if n.on != "" && p.from != nil && p.off(n.on) && !c.declares(n, p) {
				c.reportNeed(p.at, n.on, n.name+" must be called on "+threadName(n.on)+here(p),
					need{Thread: n.on}.at(p))
			}
			if n.on != "" && p.from != nil {
				continue // what the mark promises is true in it
			}
			p.own = p.own || c.owns(n, map[*node]bool{})
			for _, thread := range c.threads() {
				c.lead(n, thread, func(at found) bool {
					c.reportFound(at, p, adopts)
					return true
				})
			}
		}
	}
	for _, s := range c.starts {
		for _, need := range s.needs {
			where := way(need.Path, s.place)
			switch {
			case c.marks.ignored(s.at), need.NoTests && s.test:
			case need.Thread == needUnlocked && s.served:
				c.report(s.at, "unlock", unlockMessage(s.place)+where)
			case !strings.HasPrefix(need.Thread, "!") && s.off(need.Thread):
				c.reportNeed(s.at, need.Thread, need.What+" must be called on "+threadName(need.Thread)+where,
					need.at(s.place))
			}
		}
	}
}

// declares reports whether the mark of a node says what thread the place is: a literal where it is
// started, or a function that takes a thread for itself.
func (c *checker) declares(n *node, p place) bool {
	return n.obj == nil && c.position(n.fn.Pos()) == c.position(p.at) ||
		p.kind == elsewhere && n.on != mainThread && c.owns(n, map[*node]bool{})
}

func (c *checker) reportFound(at found, p place, adopts bool) {
	path := way(at.path, p)
	switch thread := at.need.Thread; {
	case thread == needUnlocked:
		if p.served {
			c.report(at.at, "unlock", unlockMessage(p)+path)
		}
	case strings.HasPrefix(thread, needOutside):
		if p.served && p.lib == strings.TrimPrefix(thread, needOutside) {
			c.report(at.at, "wait", at.need.What+" waits for ever on "+threadName(p.thread)+path)
		}
	case strings.HasPrefix(thread, needOff):
		if name := strings.TrimPrefix(thread, needOff); p.kind == onThread && p.thread == name {
			c.report(at.at, thread, at.need.What+" must not be called on "+threadName(name)+path)
		}
	case strings.HasPrefix(thread, "!"):
	case p.from == nil && p.thread == mainThread && adopts:
	case at.need.NoTests && p.test:
	case p.off(thread):
		c.reportNeed(at.at, thread, at.need.What+" must be called on "+threadName(thread)+path, at.need)
	}
}

// way returns the functions that lead from a place to a call, for a report.
func way(path []string, p place) string {
	if len(path) == 0 {
		return here(p)
	}
	return "; called by " + strings.Join(path, ", called by ") + ", " + p.how
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

func unlockMessage(p place) string {
	return "runtime.UnlockOSThread must not be called without runtime.LockOSThread on " +
		threadName(p.thread) + ", which runs other functions later"
}

// owns reports whether a goroutine that begins with n takes a thread for itself.
func (c *checker) owns(n *node, seen map[*node]bool) bool {
	if n.locks || n.adopts {
		return true
	}
	seen[n] = true
	for _, one := range n.calls {
		if to := one.to.node; to != nil && !seen[to] && c.owns(to, seen) {
			return true
		}
	}
	return false
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
			how: "which is marked //threadcall:on " + n.on})
	}
	if n.fn.Parent() != nil {
		return list
	}
	switch sig := n.fn.Signature; {
	case n.obj == nil || sig.Recv() == nil && (n.obj.Name() == "init" || n.obj.Name() == "main" &&
		c.pass.Pkg.Name() == "main"):
		list = append(list, place{at: at, kind: onThread, thread: mainThread,
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
