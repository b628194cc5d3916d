package threadvet

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// nodeNamed returns the function of the package of that name, or nil.
func (c *checker) nodeNamed(name string) *node { return c.byFn[c.pkg.Func(name)] }

// isLibrary reports whether the package is for -buildmode c-shared or c-archive: its main, which is
// empty, does not run, and C calls other functions.
func (c *checker) isLibrary(main *node) (exports bool) {
	for _, f := range c.pass.Files {
		for _, g := range f.Comments {
			exports = exports || strings.HasPrefix(g.List[len(g.List)-1].Text, "//export ")
		}
	}
	return exports && len(main.fn.Syntax().(*ast.FuncDecl).Body.List) == 0
}

// checkMain reports a main function that uses the main thread, which nothing serves, or calls what
// must be on the main thread though its goroutine is not locked to it.
func (c *checker) checkMain() {
	main := c.nodeNamed("main")
	if main == nil || c.pass.Pkg.Name() != "main" || c.isLibrary(main) {
		return
	}
	how := ", whose goroutine is not locked to it: call runtime.LockOSThread in an init function"
	if main.owns() {
		how = ", which locks its goroutine too late, perhaps on another thread: call " +
			"runtime.LockOSThread in an init function"
	}
	if !c.fact.Locks {
		for at := range c.lead(main, mainThread) {
			if at.need.Library {
				c.report(at.at, "lock", at.need.What+" must be called on the main thread"+c.calledBy(at)+how)
				break
			}
		}
	}
	for n := range c.inits {
		if !c.inTest(n) {
			return
		}
	}
	if at := c.usesMain(func(n *node) bool { return !c.inTest(n) }); at != "" {
		c.report(main.fn.Pos(), "init", "main does not call mainthread.Init, for which "+at)
	}
}

// usesMain describes a call to package mainthread that waits for Init, in nodes that match: it is
// not on the main thread, and not in what Init itself runs.
func (c *checker) usesMain(match func(*node) bool) string {
	for _, n := range slices.Concat(c.nodes, c.starts) {
		for _, p := range c.placesOf(n) {
			in := n
			if n.fn == nil {
				in = p.from
			}
			if !match(in) || n.on == mainThread || !p.off(mainThread) ||
				p.lib == mainPackage || c.marks.ignored(p.at) {
				continue
			}
			for at := range c.lead(n, needInit) {
				return at.need.What + " waits" + strings.Replace(c.way(at, p), "; here ", "; ", 1)
			}
		}
	}
	return ""
}

func (c *checker) inTest(n *node) bool {
	return strings.HasSuffix(c.pass.Fset.Position(n.fn.Pos()).Filename, "_test.go")
}

// checkTests reports tests that need mainthread.Init where no TestMain calls it.
func (c *checker) checkTests() {
	// The nodes of test files, and those that they mention.
	tested := c.nodesThat(c.inTest, func(n *node) (list []*node) {
		for _, to := range n.callees {
			if to.node != nil {
				list = append(list, to.node)
			}
		}
		return list
	})
	uses := c.usesMain(func(n *node) bool { return tested[n] })
	test := slices.IndexFunc(c.nodes, c.isTest)
	switch main := c.nodeNamed("TestMain"); {
	case uses == "" || main != nil && c.inits[main]:
	case main != nil:
		c.report(main.fn.Pos(), "init", "TestMain does not call mainthread.Init, for which "+uses)
	case test >= 0 && !c.otherTestMain(c.nodes[test].fn.Pos()):
		c.report(c.nodes[test].fn.Pos(), "init", "no TestMain calls mainthread.Init, for which "+uses)
	}
}

var testMain = regexp.MustCompile(`(?m)^func TestMain\(`)

// otherTestMain reports whether the directory has a TestMain, in the package with or without _test
// that this one is not.
func (c *checker) otherTestMain(pos token.Pos) bool {
	dir := filepath.Dir(c.pass.Fset.Position(pos).Filename)
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is well-formed
	return slices.ContainsFunc(files, func(name string) bool {
		text, _ := os.ReadFile(name) // a file that cannot be read has none
		return testMain.Match(text)
	})
}
