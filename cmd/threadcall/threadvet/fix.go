package threadvet

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

const (
	mainPackage   = "github.com/threadcall/threadcall/mainthread"
	threadPackage = "github.com/threadcall/threadcall/thread"
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

// wrapped returns the edit for the call at pos.
func (c *checker) wrapped(pos token.Pos, need need) (e edit, ok bool) {
	file, way := c.around(pos)
	if file == nil || c.pass.Fset.File(pos).Name() != c.pass.Fset.Position(pos).Filename {
		return e, false // or made by cgo
	}
	call, callV := c.dispatchers(need)
	with, from, to, open := c.wrap(way, pos, posts(call))
	if with == callWithResult {
		call = callV
	}
	if with == noCall || call == "" {
		return e, false
	}
	e = edit{open: open, from: from, to: to}
	e.name, e.at, e.imports, ok = c.importOf(file, pos, call)
	return e, ok
}

// fixable returns the call that can be given to the main thread for what p leads to: the innermost
// one that is not made by the main thread too. It is NoPos if there is none, or if the main thread
// might wait for the goroutine, or would wait in the call.
func (c *checker) fixable(p place, f found) token.Pos {
	if f.need.Thread != mainThread || len(f.need.Fix) == 1 || f.need.Long {
		return token.NoPos
	}
	if _, goes := p.instr.(*ssa.Go); goes && len(f.way) == 0 {
		return p.at
	}
	for i, at := range f.way {
		if i > 0 && c.long(f.way[i-1].from, map[*node]bool{}) {
			break
		}
		if c.only(at.from, map[*node]bool{}) {
			return at.at
		}
	}
	return token.NoPos
}

// only reports whether a node runs on goroutines alone, for which the main thread does not wait.
func (c *checker) only(n *node, seen map[*node]bool) bool {
	if seen[n] {
		return true
	}
	seen[n] = true
	places := c.placesOf(n)
	if n.obj != nil && !c.isTest(n) && (c.invoked[n.obj.Name()] || n.obj.Exported() &&
		(c.pass.Pkg.Name() != "main" || n.obj.Signature().Recv() != nil)) {
		return false
	}
	return n.refs == len(c.places[n])+len(n.callers) && !n.signals() &&
		len(places)+len(n.callers) > 0 && !slices.ContainsFunc(places, func(p place) bool {
		return !p.off(mainThread) || p.lib == "sync" || p.lib == "golang.org/x/sync/errgroup" ||
			p.kind == onThread && !p.later
	}) &&
		!slices.ContainsFunc(n.callers, func(m *node) bool { return !c.only(m, seen) })
}

// signals reports whether what waits for the goroutine may wait for what a node does: it sends,
// closes, unlocks.
func (n *node) signals() bool {
	return n.has(func(instr ssa.Instruction) bool {
		switch x := instr.(type) {
		case *ssa.Send, *ssa.Select:
			return true
		case ssa.CallInstruction:
			b, ok := x.Common().Value.(*ssa.Builtin)
			return ok && b.Name() == "close" || strings.HasPrefix(method(x.Common()), "sync.")
		}
		return false
	})
}

// long reports whether a node may wait, or run for long.
func (c *checker) long(n *node, seen map[*node]bool) bool {
	if seen[n] {
		return true
	}
	seen[n] = true
	loops := false
	if body := n.fn.Syntax(); body != nil {
		ast.Inspect(body, func(one ast.Node) bool {
			switch one.(type) {
			case *ast.ForStmt, *ast.BranchStmt:
				loops = true
			}
			return !loops
		})
	}
	return loops || n.has(func(instr ssa.Instruction) bool {
		switch x := instr.(type) {
		case *ssa.Send, *ssa.Select:
			return true
		case *ssa.UnOp:
			return x.Op == token.ARROW
		case *ssa.Call, *ssa.Defer:
			common := x.(ssa.CallInstruction).Common()
			if _, ok := common.Value.(*ssa.Builtin); ok {
				return false
			}
			list := c.static(common)
			return len(list) == 0 || slices.ContainsFunc(list, func(to callee) bool {
				if to.node != nil {
					return c.long(to.node, seen)
				}
				return to.obj == nil || !c.quick(to.obj)
			})
		}
		return false
	})
}

// quick reports whether a function of another package is known to return at once.
func (c *checker) quick(obj *types.Func) bool {
	f := functionOf(obj)
	list := c.librariesOf(obj)
	if slices.ContainsFunc(list, func(l *library) bool {
		u := l.useOf(f, 0)
		return l.Loops.match(f) || l.Blocks.match(f) || u.Kind == onThread && !u.Later
	}) {
		return false
	}
	needs := c.factOf(obj).Needs
	return slices.ContainsFunc(list, func(l *library) bool {
		return l.Quick.match(f) || len(l.On) > 0
	}) || len(needs) > 0 && !slices.ContainsFunc(needs, func(n need) bool { return n.Long })
}

// has reports whether the node has such an instruction.
func (n *node) has(match func(ssa.Instruction) bool) bool {
	return slices.ContainsFunc(n.fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, match)
	})
}

// around returns the file at pos, and the nodes there, the innermost first.
func (c *checker) around(pos token.Pos) (*ast.File, []ast.Node) {
	for _, file := range c.pass.Files {
		if file.FileStart <= pos && pos < file.FileEnd {
			way, _ := astutil.PathEnclosingInterval(file, pos, pos)
			return file, way
		}
	}
	return nil, nil
}

// posts reports whether a dispatcher does not wait for the function.
func posts(dispatcher string) bool {
	pkg, name := splitName(dispatcher)
	l := libraryOf(pkg)
	return l != nil && l.useOf(function{name: name}, 0).Later
}

type wrapping int

const (
	noCall wrapping = iota
	callStatement
	callWithResult
)

// wrap returns what is to be given to a dispatcher, for the call at pos, and the start of the
// function with it. way has the nodes around the call, the innermost first. If the call is made
// later, the values must not change until then.
func (c *checker) wrap(way []ast.Node, pos token.Pos, later bool) (with wrapping,
	from, to token.Pos, open string) {
	var call *ast.CallExpr
	var in ast.Node // what has the call
	for i, n := range way {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if call == nil && !later && n.Tok == token.ASSIGN && len(n.Lhs) == 1 && pos < n.Lhs[0].End() &&
				!blocks(n.Rhs[0]) {
				return callStatement, n.Pos(), n.End(), "func() { "
			}
		case *ast.CallExpr:
			// Of a.B().C() the whole is given to the dispatcher, so that there is one edit for both.
			if call == nil && n.Lparen == pos || call != nil && n.Pos() == call.Pos() {
				call, in = n, way[i+1]
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
		if _, ok := n.(ast.Stmt); ok && call != nil {
			break
		}
	}
	if call == nil || blocks(call) {
		return
	}
	from, to = call.Pos(), call.End()
	sel, method := call.Fun.(*ast.SelectorExpr)
	simple := !method
	if method {
		_, simple = sel.X.(*ast.Ident)
	}
	changes := !simple || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		return c.pass.TypesInfo.Types[arg].Value == nil
	})
	if later && changes {
		return
	}
	_, several := c.pass.TypesInfo.TypeOf(call).(*types.Tuple)
	switch in := in.(type) {
	case *ast.ExprStmt:
		return callStatement, from, to, "func() { "
	case *ast.AssignStmt:
		if several && in.Tok == token.ASSIGN && len(in.Rhs) == 1 {
			return callStatement, in.Pos(), in.End(), "func() { "
		}
	case *ast.GoStmt, *ast.DeferStmt:
		if c.pass.TypesInfo.Types[call].IsVoid() && call.Rparen == call.Lparen+1 {
			return callStatement, from, call.Lparen, ""
		}
		if changes {
			return
		}
		return callStatement, from, to, "func() { "
	}
	if t := c.typeText(call, pos); !several && t != "" {
		return callWithResult, from, to, "func() " + t + " { return "
	}
	return
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

// typeText returns the type of an expression as it is written at pos, or "" if it cannot be.
func (c *checker) typeText(e ast.Expr, pos token.Pos) string {
	t := c.pass.TypesInfo.TypeOf(e)
	file, _ := c.around(pos)
	text := types.TypeString(t, func(p *types.Package) string {
		if p == c.pass.Pkg {
			return ""
		}
		for _, spec := range file.Imports {
			if name := c.pass.TypesInfo.PkgNameOf(spec); name != nil && name.Imported() == p {
				return name.Name()
			}
		}
		return p.Name()
	})
	tv, err := types.Eval(c.pass.Fset, c.pass.Pkg, pos, text)
	if err != nil || !tv.IsType() || !types.Identical(tv.Type, t) {
		return ""
	}
	return text
}

// dispatchers returns the functions that run a function on the main thread, and one with a result,
// each as path.Name: those of the library, those of a package named mainthread that the package
// imports, or else ours.
func (c *checker) dispatchers(need need) (call, callV string) {
	list := append(slices.Clone(need.Fix), "", "", "")[1:]
	if need.Fix != nil {
		return list[0], list[1]
	}
	for _, p := range c.pass.Pkg.Imports() {
		if p.Name() == "mainthread" && p.Scope().Lookup("Call") != nil && known(p.Path()) {
			call = p.Path() + ".Call"
			if p.Scope().Lookup("CallV") != nil {
				callV = call + "V"
			}
			return call, callV
		}
	}
	return mainPackage + ".Call", mainPackage + ".CallV"
}

var version = regexp.MustCompile(`^v\d+$`)

// importOf returns a function as the file names it at pos, and what must be edited for that.
func (c *checker) importOf(file *ast.File, pos token.Pos, function string) (name string,
	at token.Pos, text string, ok bool) {
	pkg, name := splitName(function)
	if pkg == c.pass.Pkg.Path() || pkg == mainPackage && !c.served() {
		return "", 0, "", false
	}
	base := path.Base(pkg)
	if version.MatchString(base) {
		base = path.Base(path.Dir(pkg))
	}
	scope := c.pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return "", 0, "", false
	}
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
		return slices.ContainsFunc(c.nodes, func(n *node) bool { return n.inits })
	}
	mod := upward(filepath.Dir(c.pass.Fset.File(c.pass.Files[0].Package).Name()), "go.mod")
	text, err := os.ReadFile(mod)
	return mod == "" || err == nil && bytes.Contains(text, []byte(path.Dir(mainPackage)))
}
