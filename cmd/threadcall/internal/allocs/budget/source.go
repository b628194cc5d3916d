package budget

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
)

// A source knows which of the things that the compiler calls escaping cost nothing at run time, because they are in
// the program's read-only data: constants in an interface, and function literals that capture nothing.
type source map[string]*checked // by file

type checked struct {
	files  *token.FileSet
	parsed *ast.File
	info   types.Info
}

// sizeless are values of the standard library that have no size, which escape from functions in which their constructors are inlined.
var sizeless = map[string]bool{"context.backgroundCtx{}": true, "context.todoCtx{}": true, "struct {}{}": true}

// harmless reports whether the value is made without an allocation.
func (s source) harmless(e escape.Escape) (bool, error) {
	if e.Constant() || sizeless[e.What] {
		return true, nil
	}
	if e.What != "func literal" {
		return false, nil
	}
	at := e.At()
	c, err := s.load(at.File)
	if err != nil {
		return false, err
	}
	var literal *ast.FuncLit
	ast.Inspect(c.parsed, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			if p := c.files.Position(f.Pos()); p.Line == at.Line && p.Column == at.Column {
				literal = f
			}
		}
		return true
	})
	return literal != nil && !c.captures(literal), nil
}

// captures reports whether the literal uses a variable of a function around it.
func (c *checked) captures(f *ast.FuncLit) bool {
	found := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := c.info.Uses[id].(*types.Var)
		if ok && v.Pkg() != nil && v.Parent() != nil && v.Parent() != v.Pkg().Scope() && (v.Pos() < f.Pos() || v.Pos() >= f.End()) {
			found = true
		}
		return true
	})
	return found
}

// load parses a file and resolves its names. Other files and packages are not needed: a variable of a function is known
// without.
func (s source) load(name string) (*checked, error) {
	if c := s[name]; c != nil {
		return c, nil
	}
	c := &checked{files: token.NewFileSet(), info: types.Info{Uses: map[*ast.Ident]types.Object{}}}
	var err error
	if c.parsed, err = parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	config := types.Config{Error: func(error) {}, Importer: nowhere{}}
	_, _ = config.Check(c.parsed.Name.Name, c.files, []*ast.File{c.parsed}, &c.info) // with many errors, which do not matter
	s[name] = c
	return c, nil
}

// nowhere is an importer of empty packages.
type nowhere struct{}

func (nowhere) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}
