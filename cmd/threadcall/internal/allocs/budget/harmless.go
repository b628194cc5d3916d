package budget

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
)

// A source knows which of the things that the compiler calls escaping cost nothing at run time, because they are in
// the program's read-only data: constants in an interface, and function literals that capture nothing.
type source struct {
	packages map[string]*checked // by directory
}

type checked struct {
	files *token.FileSet
	parts map[string]*ast.File // by file name
	info  types.Info
}

func newSource() *source { return &source{map[string]*checked{}} }

// sizeless are values of the standard library that have no size, which escape from functions in which their constructors are inlined.
var sizeless = map[string]bool{"context.backgroundCtx{}": true, "context.todoCtx{}": true, "struct {}{}": true}

// harmless reports whether the value is made without an allocation.
func (s *source) harmless(e escape.Escape) (bool, error) {
	if e.Constant() || sizeless[e.What] {
		return true, nil
	}
	if e.What != "func literal" {
		return false, nil
	}
	at := e.At()
	c, err := s.load(filepath.Dir(at.File))
	if err != nil {
		return false, err
	}
	file := c.parts[at.File]
	if file == nil {
		return false, nil
	}
	var literal *ast.FuncLit
	ast.Inspect(file, func(n ast.Node) bool {
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

// load parses the files of a directory and resolves their names. What they import is not needed: a variable
// of a function is known without.
func (s *source) load(dir string) (*checked, error) {
	if c := s.packages[dir]; c != nil {
		return c, nil
	}
	c := &checked{files: token.NewFileSet(), parts: map[string]*ast.File{}}
	c.info.Uses = map[*ast.Ident]types.Object{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	byPackage := map[string][]*ast.File{}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if filepath.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // one that is not compiled here
		}
		c.parts[name] = f
		byPackage[f.Name.Name] = append(byPackage[f.Name.Name], f)
	}
	for name, files := range byPackage {
		config := types.Config{Error: func(error) {}, Importer: nowhere{}}
		_, _ = config.Check(name, c.files, files, &c.info) // with many errors, which do not matter
	}
	s.packages[dir] = c
	return c, nil
}

// nowhere is an importer that gives empty packages.
type nowhere struct{}

func (nowhere) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}
