package threadvet

import (
	"cmp"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// storing returns the nodes that store something, and not zero, in a field of that name of another
// package, or mention a node that does.
func (c *checker) storing(names ...string) map[*node]bool {
	return c.nodesThat(func(n *node) bool {
		return n.has(func(instr ssa.Instruction) bool {
			store, ok := instr.(*ssa.Store)
			if !ok {
				return false
			}
			v := variable(store.Addr)
			none, _ := store.Val.(*ssa.Const)
			return v != nil && v.Pkg() != c.pass.Pkg && slices.Contains(names, v.Name()) &&
				(none == nil || constantTruth(none) != zero)
		})
	}, func(n *node) []*node { return n.users })
}

// kills reports whether the end of its thread kills the child that a call starts: the package sets
// Pdeathsig, where the command is made if that is known.
func (c *checker) kills(common *ssa.CallCommon) bool {
	set := c.storing("Pdeathsig")
	if len(set) == 0 || common == nil || len(common.Args) == 0 {
		return len(set) > 0
	}
	values, _ := c.origins(common.Args[0], 0)
	return len(values) == 0 || slices.ContainsFunc(values, func(v ssa.Value) bool {
		call, _ := fromCall(v)
		return call == nil || set[c.byFn[call.Parent()]]
	})
}

// ends says when the thread of a place ends while the child runs, or is empty.
func (c *checker) ends(p place) string {
	made, ok := p.owner.(*ssa.Call)
	ok = ok && makers.MatchString(c.called(&made.Call))
	switch {
	case strings.HasSuffix(p.lib, "/threadcall/keyed"):
		return "when its key is idle or given up"
	case p.dies:
		return "with the goroutine, which is locked to it"
	case ok && slices.ContainsFunc(options(made), func(opt *ssa.Call) bool {
		return strings.Contains(c.called(&opt.Call), "Idle")
	}):
		return "when it is idle"
	case !ok || p.from == nil || made.Parent() != p.from.fn:
		return ""
	}
	closed := false
	if !follow(made, func(instr ssa.Instruction, _ ssa.Value) bool {
		use, ok := instr.(ssa.CallInstruction)
		if !ok || instr.Parent() != made.Parent() {
			return false
		}
		name := c.called(use.Common())
		closed = closed || ending.MatchString(name)
		return strings.HasPrefix(name, threadPackage+".")
	}) {
		return ""
	}
	switch name := p.from.name; {
	case !closed:
		return "after its last call, when it is collected"
	case name == "main" || c.awaits(p.from):
		return ""
	default:
		return "when " + name + " closes it"
	}
}

var ending = regexp.MustCompile(`\.(Close|Terminate|Stop|Shutdown)$`)

// awaits reports whether a node, or a literal in it, waits, perhaps for a child.
func (c *checker) awaits(n *node) bool {
	return slices.ContainsFunc(c.nodes, func(m *node) bool {
		return (m == n || inside(m.fn, n.fn)) && m.has(func(instr ssa.Instruction) bool {
			switch x := instr.(type) {
			case *ssa.UnOp:
				return x.Op == token.ARROW
			case ssa.CallInstruction:
				return strings.HasSuffix(c.called(x.Common()), ".Wait")
			}
			_, selects := instr.(*ssa.Select)
			return selects
		})
	})
}

// A user is a call that changes the user or groups: of its thread alone if it is a system call by
// number, or else of all threads, by package syscall.
type user struct {
	at   token.Pos
	what string
	one  bool
}

var setsUser = regexp.MustCompile(
	`^Set(e|re|res)?[ug]id$|^Setgroups$|^(Raw)?Syscall\w*\(SET(.*ID|GROUPS)`)

// checkUsers reports calls that change the user of one thread in a program that also changes that
// of all threads: the runtime ends a program in which the threads do not agree on the result.
func (c *checker) checkUsers() {
	imported := c.fact
	for _, u := range c.users {
		text := c.pass.Pkg.Name() + " calls " + u.what + " (" + c.position(u.at) + ")"
		if u.one {
			c.fact.One = cmp.Or(c.fact.One, text)
		} else {
			c.fact.All = cmp.Or(c.fact.All, text)
		}
	}
	// It is reported in all packages that know of both, and make one of the calls, or are the program.
	main := c.nodeNamed("main")
	if main != nil && c.pass.Pkg.Name() == "main" && len(c.users) == 0 && imported.One != "" {
		c.users = []user{{main.fn.Pos(), "a package", true}}
	}
	for _, u := range c.users {
		if u.one && c.fact.All != "" || !u.one && imported.One != "" {
			c.report(u.at, "user", u.what+" makes the users of the threads differ, and package syscall "+
				"then ends the program: "+c.fact.One+" for one thread, "+c.fact.All+" for all")
			defer func() { c.fact.One, c.fact.All = "", "" }() // importers need not report it
		}
	}
}
