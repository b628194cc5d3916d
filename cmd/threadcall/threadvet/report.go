package threadvet

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// report reports a call once.
func (c *checker) report(pos token.Pos, key, message string) {
	if c.news(pos, key) {
		c.pass.Report(analysis.Diagnostic{Pos: pos, Category: key, Message: message})
	}
}

// news reports whether something is to be reported at pos, and is not yet.
func (c *checker) news(pos token.Pos, key string) bool {
	one := reported{pos, key}
	if c.reported[one] || c.marks.ignored(pos) {
		return false
	}
	c.reported[one] = true
	return true
}

type reported struct {
	pos token.Pos
	key string
}

// checkCalls reports the calls that are made elsewhere than on their thread.
func (c *checker) checkCalls() {
	for _, n := range slices.Concat(c.nodes, c.starts) {
		for _, p := range c.placesOf(n) {
			if c.marks.ignored(p.at) {
				continue
			}
			if n.on != "" && p.from != nil {
				if p.off(n.on) && !c.declares(n, p) {
					c.checkPlace(p, []found{{at: p.at, need: need{Demand: demand(n.on), What: n.name}}})
				}
				continue // what the mark promises is true in it
			}
			p.own = p.own || n.owns()
			p.dies = p.Kind == elsewhere && !c.awaits(n) && slices.ContainsFunc(
				c.effectsOf(callee{node: n}, nil), func(e effect) bool { return e.Locks > 0 })
			for _, d := range slices.Sorted(maps.Keys(c.can)) {
				c.checkPlace(p, slices.Collect(c.lead(n, d)))
			}
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
	at, text := wrong[0].at, messages[0]+c.way(wrong[0], p)
	if len(wrong) > 1 {
		at, text = p.at, fmt.Sprintf("%d calls are wrong in a function %s:", len(wrong), p.How)
		for i, f := range wrong {
			text += "\n\t" + messages[i] + c.calledBy(f)
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
	switch thread := string(need.Demand); {
	case thread == needUnlocked:
		if p.served {
			return "unlock", "runtime.UnlockOSThread must not be called without runtime.LockOSThread on " +
				threadName(p.Thread) + ", which runs other functions later"
		}
	case strings.HasPrefix(thread, needOutside):
		if p.served && p.lib == strings.TrimPrefix(thread, needOutside) {
			return "wait", need.What + " waits for ever on " + threadName(p.Thread)
		}
	case strings.HasPrefix(thread, needOff):
		if name := strings.TrimPrefix(thread, needOff); p.Kind == onThread && p.Thread == name {
			return thread, need.What + " must not be called on " + threadName(name)
		}
	case thread == needBlock:
		if p.Kind == onThread && p.Thread == mainThread && (p.from != nil || p.events) {
			return "block", need.What + " blocks the main thread"
		}
	case thread == needChild:
		if ends := c.ends(p); ends != "" {
			return "child", need.What + " starts a child that the end of its thread kills (Pdeathsig); " +
				"the thread ends " + ends
		}
	case strings.HasPrefix(thread, "!"):
	case p.from == nil && p.Thread == mainThread && c.adopts:
	case need.NoTests && p.lib == "testing":
	case p.off(thread):
		verb := "called"
		if strings.HasPrefix(need.What, "the field ") {
			verb = "written"
		}
		return thread, need.What + " must be " + verb + " on " + threadName(thread)
	}
	return "", ""
}

// declares reports whether the mark of a node says what thread the place is: a literal where it is
// started, or a function that takes a thread for itself.
func (c *checker) declares(n *node, p place) bool {
	return n.obj == nil && c.position(n.fn.Pos()) == c.position(p.at) ||
		p.Kind == elsewhere && n.on != mainThread && n.owns()
}

// way returns the functions that lead from a place to a call, for a report.
func (c *checker) way(f found, p place) string {
	if by := c.calledBy(f); by != "" {
		return by + ", " + p.How
	}
	how := strings.TrimPrefix(p.How, "which ") // what the place does with what is reported
	if strings.HasPrefix(how, "runs ") {
		return "; here it " + how
	}
	return "; here " + strings.Replace(how, " runs ", " runs it ", 1)
}

func (c *checker) calledBy(f found) string {
	path := c.path(f, false)
	if len(path) == 0 {
		return ""
	}
	return "; called by " + strings.Join(path, ", called by ")
}
