package threadvet

import (
	"cmp"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// A user is a call that changes the user or groups: of its thread if it is a system call by number,
// or else of all threads, by package syscall.
type user struct {
	at  token.Pos
	obj *types.Func
}

var setsUser = regexp.MustCompile(`^Set(e|re|res)?[ug]id$|^Setgroups$|^(Raw)?Syscall\w*\(SET(.*ID|GROUPS)`)

// checkUsers reports calls that change the user of one thread, in programs that also change that of
// all threads: the runtime ends a program in which the threads do not agree on the result.
func (c *checker) checkUsers() {
	imported := c.fact
	for _, u := range c.users {
		text := c.pass.Pkg.Name() + " calls " + c.describe(u.obj) + " (" + c.position(u.at) + ")"
		if strings.Contains(u.obj.Name(), "(") {
			c.fact.One = cmp.Or(c.fact.One, text)
		} else {
			c.fact.All = cmp.Or(c.fact.All, text)
		}
	}
	for _, u := range c.users {
		one := strings.Contains(u.obj.Name(), "(")
		if one && c.fact.All != "" || !one && imported.One != "" {
			c.report(u.at, "user", c.describe(u.obj)+" makes the users of the threads differ, and package "+
				"syscall then ends the program: "+c.fact.One+" for one thread, "+c.fact.All+" for all")
		}
	}
	main := c.nodeNamed("main")
	if main != nil && c.pass.Pkg.Name() == "main" && len(c.users) == 0 && imported.One != "" &&
		imported.All != "" && !slices.ContainsFunc(c.pass.Pkg.Imports(), func(p *types.Package) bool {
		var f packageFact
		return c.pass.ImportPackageFact(p, &f) && f.One != "" && f.All != "" // it is reported there
	}) {
		c.report(main.fn.Pos(), "user", "the users of the threads differ, and package syscall then ends "+
			"the program: "+imported.One+" for one thread, "+imported.All+" for all")
	}
}
