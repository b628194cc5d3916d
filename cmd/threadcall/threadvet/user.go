package threadvet

import (
	"cmp"
	"go/token"
	"regexp"
)

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
