package threadvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

const mainPackage = "github.com/threadcall/threadcall/mainthread"

// fixes returns how to do a call that needs the main thread: in a function that a dispatcher runs
// there. It is empty where the result would not compile, or would do something else.
func (c *checker) fixes(pos token.Pos, need need) []analysis.SuggestedFix {
	if need.Thread != mainThread || len(need.Fix) == 1 {
		return nil
	}
	file, way := c.around(pos)
	if file == nil {
		return nil
	}
	with, from, to, open := c.wrap(way, pos)
	call, callV := c.dispatchers(need)
	if with == callWithResult {
		call = callV
	}
	if with == noCall || call == "" {
		return nil
	}
	name, imported, ok := c.importOf(file, pos, call)
	if !ok {
		return nil
	}
	end := " })"
	if open == "" {
		end = ")" // of a method value
	}
	edits := []analysis.TextEdit{
		{Pos: from, End: from, NewText: []byte(name + "(" + open)},
		{Pos: to, End: to, NewText: []byte(end)},
	}
	if open == "" { // without the parentheses of the call
		edits[1].End = to + 2
	}
	return []analysis.SuggestedFix{{Message: "Call it with " + name,
		TextEdits: append(imported, edits...)}}
}

// at returns the need of what starts at a place: only a go statement can be fixed there.
func (n need) at(p place) need {
	if _, ok := p.instr.(*ssa.Go); !ok {
		n.Thread = ""
	}
	return n
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

type wrapping int

const (
	noCall wrapping = iota
	callStatement
	callWithResult
)

// wrap returns what is to be given to a dispatcher, for the call at pos, and the start of the
// function with it. way has the nodes around the call, the innermost first.
func (c *checker) wrap(way []ast.Node, pos token.Pos) (with wrapping, from, to token.Pos,
	open string) {
	var call *ast.CallExpr
	var in ast.Node // what has the call
	for i, n := range way {
		switch n := n.(type) {
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
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			if _, simple := sel.X.(*ast.Ident); !simple {
				return
			}
		}
		if slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
			return c.pass.TypesInfo.Types[arg].Value == nil // whose value may change until then
		}) {
			return
		}
		return callStatement, from, to, "func() { "
	}
	if t := c.typeText(call, pos); !several && t != "" {
		return callWithResult, from, to, "func() " + t + " { return "
	}
	return
}

// blocks reports whether a call waits for a channel before it begins.
func blocks(call *ast.CallExpr) (found bool) {
	ast.Inspect(call, func(n ast.Node) bool {
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
	edits []analysis.TextEdit, ok bool) {
	pkg, name := splitName(function)
	if pkg == c.pass.Pkg.Path() {
		return "", nil, false
	}
	base := path.Base(pkg)
	if version.MatchString(base) {
		base = path.Base(path.Dir(pkg))
	}
	scope := c.pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return "", nil, false
	}
	for _, spec := range file.Imports {
		if as := c.pass.TypesInfo.PkgNameOf(spec); as != nil && as.Imported().Path() == pkg {
			_, seen := scope.LookupParent(as.Name(), pos)
			return as.Name() + "." + name, nil, seen == as
		}
	}
	if _, other := scope.LookupParent(base, pos); other != nil {
		return "", nil, false
	}
	at, text := file.Name.End(), "\n\nimport "+strconv.Quote(pkg)
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
	return base + "." + name, []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}, true
}
