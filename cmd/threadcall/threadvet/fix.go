package threadvet

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/ssa"
)

const (
	mainPackage   = "github.com/threadcall/threadcall/mainthread"
	threadPackage = "github.com/threadcall/threadcall/thread"

	ours = "^github.com/threadcall/threadcall/" // the start of patterns of full names
)

// fixes returns how to do calls that need the main thread: in functions that a dispatcher runs
// there. It has none where the result would not compile, or could do something else, or where the
// main thread could wait for it.
func (c *checker) fixes(p place, list []found) []analysis.SuggestedFix {
	var wraps []edit
	for _, f := range list {
		if one, ok := c.wrapped(c.fixable(p, f), f.need); ok {
			wraps = append(wraps, one)
		}
	}
	fix := analysis.SuggestedFix{}
	add := func(pos, end token.Pos, text string) {
		one := analysis.TextEdit{Pos: pos, End: end, NewText: []byte(text)}
		if !slices.ContainsFunc(fix.TextEdits, func(e analysis.TextEdit) bool {
			return e.Pos == pos && string(e.NewText) == text
		}) {
			fix.TextEdits = append(fix.TextEdits, one)
		}
	}
	for _, w := range wraps {
		if slices.ContainsFunc(wraps, func(o edit) bool { // a call in another one
			return o.from <= w.from && w.to <= o.to && o.to-o.from > w.to-w.from
		}) {
			continue
		}
		if w.imports != "" {
			add(w.at, w.at, w.imports)
		}
		add(w.from, w.from, w.name+"("+w.open)
		if w.open == "" { // of a method value, without the parentheses of the call
			add(w.to, w.to+2, ")")
		} else {
			add(w.to, w.to, " })")
		}
		fix.Message = "Call it with " + w.name
	}
	if fix.TextEdits == nil {
		return nil
	}
	return []analysis.SuggestedFix{fix}
}

// An edit gives a call to a dispatcher.
type edit struct {
	name, open string // of the dispatcher; the start of the function that it runs
	from, to   token.Pos
	at         token.Pos // where the import is added, if any
	imports    string
}

func (c *checker) wrapped(pos token.Pos, need need) (e edit, ok bool) {
	at, ok := c.at(pos)
	if !ok || c.pass.Fset.File(pos).Name() != c.pass.Fset.Position(pos).Filename { // made by cgo
		return e, false
	}
	call := c.dispatcher(need)
	pkg, name := splitName(call)
	l := libraryOf(pkg)
	later := l != nil && l.useOf(name, nil, 0).Later
	if e, ok = c.wrap(at, pos, later); ok {
		e.name, e.at, e.imports, ok = c.importOf(pos, call)
	}
	return e, ok
}

// fixable returns the call that can be given to the main thread for what p leads to: that of a
// function which itself needs it. It is NoPos if the main thread may make the call too, or might
// wait for the goroutine.
func (c *checker) fixable(p place, f found) token.Pos {
	if f.need.Demand != mainThread || f.need.Fix == noFix || len(f.need.Path) > 0 {
		return token.NoPos
	}
	if _, goes := p.instr.(*ssa.Go); goes && len(f.way) == 0 {
		return p.at
	}
	if len(f.way) > 0 && c.only(f.way[0].from) {
		return f.way[0].at
	}
	return token.NoPos
}

// only reports whether a node runs on goroutines alone, for which the main thread does not wait.
func (c *checker) only(n *node) bool {
	for m := range reach([]*node{n}, func(n *node) []*node { return n.callers }) {
		places := c.placesOf(m)
		if m.obj != nil && !c.isTest(m) && (c.invoked[m.obj.Name()] || m.obj.Exported() &&
			(c.pass.Pkg.Name() != "main" || m.obj.Signature().Recv() != nil)) {
			return false
		}
		if len(m.users) != len(m.places)+len(m.callers) || c.signals(m) ||
			len(places)+len(m.callers) == 0 || slices.ContainsFunc(places, func(p place) bool {
			return !p.off(mainThread) || p.lib == "sync" || p.lib == "golang.org/x/sync/errgroup" ||
				p.Kind == onThread && !p.Later
		}) {
			return false
		}
	}
	return true
}

// signals reports whether what waits for the goroutine may wait for what a node does: it sends,
// closes, unlocks.
func (c *checker) signals(n *node) bool {
	return n.has(func(instr ssa.Instruction) bool {
		switch x := instr.(type) {
		case *ssa.Send, *ssa.Select:
			return true
		case ssa.CallInstruction:
			b, ok := x.Common().Value.(*ssa.Builtin)
			return ok && b.Name() == "close" || strings.HasPrefix(c.called(x.Common()), "sync.")
		}
		return false
	})
}

func (n *node) has(match func(ssa.Instruction) bool) bool {
	for instr := range each[ssa.Instruction](n.fn) {
		if match(instr) {
			return true
		}
	}
	return false
}

// wrap returns the edit that gives the call at pos to a dispatcher: the call is a statement, or the
// whole right side of an assignment, or is made by go or defer. If the call is made later, the
// values must not change until then.
func (c *checker) wrap(at inspector.Cursor, pos token.Pos, later bool) (e edit, ok bool) {
	var call *ast.CallExpr
	var in ast.Node // what has the call
	for at := range at.Enclosing() {
		switch n := at.Node().(type) {
		case *ast.AssignStmt:
			if call == nil && !later && n.Tok == token.ASSIGN && len(n.Lhs) == 1 && pos < n.Lhs[0].End() {
				return edit{open: "func() { ", from: n.Pos(), to: n.End()}, !blocks(n.Rhs[0])
			}
		case *ast.CallExpr:
			// Of a.B().C() the whole is given to the dispatcher, so that there is one edit for both.
			if call == nil && n.Lparen == pos || call != nil && n.Pos() == call.Pos() {
				call, in = n, at.Parent().Node()
			}
		case *ast.GoStmt:
			if n.Pos() == pos {
				call, in = n.Call, n
			}
		case *ast.DeferStmt:
			if n.Pos() == pos {
				call, in = n.Call, n
			}
		}
		if _, ok := at.Node().(ast.Stmt); ok && call != nil {
			break
		}
	}
	if call == nil || blocks(call) {
		return e, false
	}
	e = edit{open: "func() { ", from: call.Pos(), to: call.End()}
	sel, method := call.Fun.(*ast.SelectorExpr)
	simple := !method
	if method {
		_, simple = sel.X.(*ast.Ident)
	}
	changes := !simple || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		return c.pass.TypesInfo.Types[arg].Value == nil
	})
	switch in := in.(type) {
	case *ast.ExprStmt:
		return e, !later || !changes
	case *ast.AssignStmt:
		e.from, e.to = in.Pos(), in.End()
		return e, !later && in.Tok == token.ASSIGN && len(in.Rhs) == 1
	case *ast.GoStmt, *ast.DeferStmt:
		if c.pass.TypesInfo.Types[call].IsVoid() && call.Rparen == call.Lparen+1 {
			e.open, e.to = "", call.Lparen
			return e, !later || !changes
		}
		return e, !changes
	}
	return e, false
}

// blocks reports whether an expression waits for a channel.
func blocks(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, literal := n.(*ast.FuncLit)
		e, ok := n.(*ast.UnaryExpr)
		found = found || ok && e.Op == token.ARROW
		return !found && !literal
	})
	return found
}

// dispatcher returns the function that runs a function on the main thread, as path.Name: that of
// the library, that of a package named mainthread that the package imports, or else ours.
func (c *checker) dispatcher(need need) string {
	if need.Fix != "" {
		return need.Fix
	}
	for _, p := range c.pass.Pkg.Imports() {
		if p.Name() == "mainthread" && p.Scope().Lookup("Call") != nil && known(p.Path()) {
			return p.Path() + ".Call"
		}
	}
	return mainPackage + ".Call"
}

var version = regexp.MustCompile(`^v\d+$`)

// importOf returns a function as the file names it at pos, and what must be edited for that.
func (c *checker) importOf(pos token.Pos, function string) (name string, at token.Pos,
	text string, ok bool) {
	pkg, name := splitName(function)
	if pkg == c.pass.Pkg.Path() || pkg == mainPackage && !c.served() {
		return "", 0, "", false
	}
	base := path.Base(pkg)
	if version.MatchString(base) {
		base = path.Base(path.Dir(pkg))
	}
	file, scope := enclosing[*ast.File](c, pos), c.pass.Pkg.Scope().Innermost(pos)
	for _, spec := range file.Imports {
		if as := c.pass.TypesInfo.PkgNameOf(spec); as != nil && as.Imported().Path() == pkg {
			_, seen := scope.LookupParent(as.Name(), pos)
			return as.Name() + "." + name, 0, "", seen == as
		}
	}
	if _, other := scope.LookupParent(base, pos); other != nil {
		return "", 0, "", false
	}
	at, text = file.Name.End(), "\n\nimport "+strconv.Quote(pkg)
	for _, decl := range file.Decls {
		decl, ok := decl.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT || len(decl.Specs) == 0 {
			continue
		}
		last := decl.Specs[len(decl.Specs)-1].(*ast.ImportSpec)
		at, text = decl.End(), "\nimport "+strconv.Quote(pkg)
		if decl.Lparen.IsValid() {
			at, text = last.End(), "\n\t"+strconv.Quote(pkg)
			if first, _, _ := strings.Cut(last.Path.Value, "/"); !strings.Contains(first, ".") {
				text = "\n" + text // after a group of the standard library
			}
			break
		}
	}
	return base + "." + name, at, text, true
}

// served reports whether the package mainthread of threadcall seems to be served: package main
// mentions what does so, or the module of another package needs threadcall.
func (c *checker) served() bool {
	if c.pass.Pkg.Name() == "main" {
		return len(c.inits) > 0
	}
	mod := upward(filepath.Dir(c.pass.Fset.File(c.pass.Files[0].Package).Name()), "go.mod")
	text, err := os.ReadFile(mod)
	return mod == "" || err == nil && bytes.Contains(text, []byte(path.Dir(mainPackage)))
}
