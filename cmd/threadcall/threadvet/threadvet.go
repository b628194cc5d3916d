// Package threadvet is an analyzer for package go/analysis that reports calls on the wrong thread:
// of functions that a comment //threadcall:on main or a table restricts to a thread, and of those
// that call them, if a path of static calls leads there from a place that is known to be on another
// one; and misuses of the state of threads. docs/vet.md of the repository has the marks and rules.
// The command threadcall vet runs it, and multichecker.Main or golangci-lint can, with others.
package threadvet

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/ssa"
)

// Analyzer reports calls on the wrong thread. Its flag block adds those on the main thread that
// block.
var Analyzer = &analysis.Analyzer{
	Name: "threadcall",
	Doc: "report calls on the wrong thread\n\n" +
		"Functions that are marked //threadcall:on main, functions of GLFW, SDL, Fyne, GTK and " +
		"others, and functions that call\n" +
		"them must be called on the main thread: not from a go statement, a test, or a function that " +
		"another thread runs.",
	URL:       "https://pkg.go.dev/github.com/threadcall/threadcall/cmd/threadcall/threadvet",
	Run:       run,
	Requires:  []*analysis.Analyzer{inspect.Analyzer},
	FactTypes: []analysis.Fact{new(funcFact), new(varFact), new(packageFact)},
}

var block bool

func init() {
	Analyzer.Flags.BoolVar(&block, "block", false,
		"also report calls on the main thread that block, such as time.Sleep")
}

// A checker analyzes one package.
type checker struct {
	pass   *analysis.Pass
	marks  *marks
	tables []*library // of the package's module
	pkg    *ssa.Package
	nodes  []*node // in the order of the source
	byFn   map[*ssa.Function]*node

	stores   map[*types.Var][]ssa.Value // in fields and global variables
	starts   []*node                    // calls of functions that are not nodes
	given    map[*ssa.Parameter][]place // where functions run that nodes are given
	can      map[demand]map[*node]bool  // nodes from which a call leads to one that has it
	walks    map[*node]*walk
	inits    map[*node]bool            // nodes that mention, also by others, what serves main
	invoked  map[string]bool           // the methods that are called through interfaces
	numbered map[token.Pos]*types.Func // system calls by number
	spaces   map[any]state             // of threads that have been moved, by owner or node
	users    []user
	adopts   bool        // the package takes a thread of its own choice for one of package thread
	fact     packageFact // what the package and all imported ones say
	tabled   map[string][]*library
	reported map[reported]bool
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{pass: pass, reported: map[reported]bool{},
		tabled: map[string][]*library{}, invoked: map[string]bool{},
		numbered: map[token.Pos]*types.Func{}, spaces: map[any]state{}, walks: map[*node]*walk{}}
	for i := 0; i < len(pass.Files) && c.tables == nil; i++ { // what cgo has made is in no module
		name := pass.Fset.Position(pass.Files[i].Package).Filename
		var err error
		if c.tables, _, err = readTables(filepath.Dir(name)); err != nil {
			return nil, err
		}
	}
	relevant := c.importFacts()
	defer func() { // what the package exports
		if c.fact != (packageFact{}) {
			pass.ExportPackageFact(&c.fact)
		}
	}()
	if known(pass.Pkg.Path()) {
		c.fact.Relevant = true
		for _, l := range libraries {
			if l.matches(pass.Pkg.Path()) && !c.holds(l, pass.Pkg) {
				c.fact.Lacks = l.Since
			}
		}
		return nil, nil
	}
	c.marks = parseMarks(pass)
	if !relevant && c.marks.empty() {
		return nil, nil
	}
	c.fact.Relevant = true
	c.build()
	c.scan()
	for _, n := range c.nodes {
		c.fact.Locks = c.fact.Locks || n.initializes() && n.owns()
	}
	for _, n := range c.nodes {
		c.walk(n)
	}
	c.exportFunctions()
	c.checkCalls()
	c.moveThreads()
	c.checkSpaces()
	c.checkUsers()
	c.checkWaits()
	c.checkMain()
	c.checkTests()
	return nil, nil
}

// importFacts collects what imported packages have exported, and reports whether the package is to
// be analyzed: it may call something that needs a thread.
func (c *checker) importFacts() (relevant bool) {
	for _, p := range c.pass.Pkg.Imports() {
		var f packageFact
		c.pass.ImportPackageFact(p, &f)
		// Package mainthread locks the main goroutine by way of the engine.
		c.fact.Locks = c.fact.Locks || f.Locks || p.Path() == mainPackage
		c.fact.Lacks = cmp.Or(c.fact.Lacks, f.Lacks)
		c.fact.One, c.fact.All = cmp.Or(c.fact.One, f.One), cmp.Or(c.fact.All, f.All)
		relevant = relevant || f.Relevant || known(p.Path()) || c.ownTable(p.Path())
	}
	for id, obj := range c.pass.TypesInfo.Uses {
		f, ok := obj.(*types.Func)
		relevant = relevant || ok && libraryOf(c.pass.Pkg.Path()) == nil && c.matters(id, f.Origin())
		if fullName(f) == "runtime.LockOSThread" {
			in := enclosing[*ast.FuncDecl](c, id.Pos())
			c.fact.Locks = c.fact.Locks || in != nil && in.Recv == nil && in.Name.Name == "init"
		}
	}
	return relevant || c.ownTable(c.pass.Pkg.Path())
}

// matters reports whether the function that a name means needs a thread by a table, or moves one,
// though the package may be analyzed without the tables for the imported one.
func (c *checker) matters(id *ast.Ident, f *types.Func) bool {
	list, _ := c.libraryNeeds(f, nil)
	return slices.ContainsFunc(list, func(n need) bool {
		return n.Demand[0] != '!' || n.Demand == needBlock
	}) || c.listed(f, func(l *library) patterns { return l.Pools }) ||
		system(f) && (setsUser.MatchString(f.Name()) ||
			numbered.MatchString(f.Name()) && c.byNumber(id.Pos(), f.Pkg()) != "")
}

// ownTable reports whether a table of the module is for the package.
func (c *checker) ownTable(pkg string) bool {
	return slices.ContainsFunc(c.tables, func(l *library) bool { return l.matches(pkg) })
}

func (c *checker) build() {
	prog := ssa.NewProgram(c.pass.Fset, 0)
	for _, p := range c.pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	c.pkg = prog.CreatePackage(c.pass.Pkg, c.pass.Files, c.pass.TypesInfo, false)
	c.pkg.Build()
}

// at returns the innermost node at pos. It is not ok if no file has one.
func (c *checker) at(pos token.Pos) (at inspector.Cursor, ok bool) {
	return c.pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().FindByPos(pos, pos+1)
}

// enclosing returns the innermost node of its type at pos, or nil.
func enclosing[N ast.Node](c *checker, pos token.Pos) (n N) {
	if at, ok := c.at(pos); ok {
		for in := range at.Enclosing(n) {
			return in.Node().(N)
		}
	}
	return n
}
