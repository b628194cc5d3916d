package budget

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
)

// A source knows the syntax of files, by name: which expression a line of the compiler's listing is
// about.
type source map[string]*checked

type checked struct {
	files  *token.FileSet
	parsed *ast.File
	info   types.Info
}

// load parses a file and resolves its names. Other files and packages are not needed: a variable of
// a function is known without.
func (s source) load(name string) *checked {
	c, known := s[name]
	if known {
		return c
	}
	s[name] = nil
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	c = &checked{files, parsed, types.Info{Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{}}}
	config := types.Config{Error: func(error) {}, Importer: nowhere{}}
	// It finds many errors, which do not matter.
	_, _ = config.Check(c.parsed.Name.Name, c.files, []*ast.File{c.parsed}, &c.info)
	s[name] = c
	return c
}

// nowhere is an importer of empty packages.
type nowhere struct{}

func (nowhere) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// includes reports whether the node includes the line.
func (c *checked) includes(n ast.Node, line int) bool {
	return c.files.Position(n.Pos()).Line <= line && line <= c.files.Position(n.End()).Line
}

// any reports whether a node that includes the line satisfies the condition. Without the file, none
// does.
func (c *checked) any(line int, is func(ast.Node) bool) (found bool) {
	if c == nil {
		return false
	}
	ast.Inspect(c.parsed, func(n ast.Node) bool {
		inside := n != nil && c.includes(n, line)
		found = found || inside && is(n)
		return inside && !found
	})
	return found
}

// panics reports whether the line is of an argument of panic.
func (c *checked) panics(line int) bool {
	return c.any(line, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && builtin(call, "panic")
	})
}

// calls reports whether something is called in the line, and not only deferred. What is deferred is
// called, as a function value, in the line where the function ends.
func (c *checked) calls(line int) (found bool) {
	if c == nil {
		return true
	}
	ast.Inspect(c.parsed, func(n ast.Node) bool {
		_, deferred := n.(*ast.DeferStmt)
		call, ok := n.(*ast.CallExpr)
		found = found || ok && c.includes(call, line)
		return !found && !deferred
	})
	return found
}

func builtin(call *ast.CallExpr, name string) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == name
}

// grows reports whether the line appends to a slice, or for the kind "map" assigns to an element,
// that the function has made itself.
func (c *checked) grows(line int, kind string) bool {
	return c.any(line, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.CallExpr:
			return kind == "append" && builtin(e, "append") && len(e.Args) > 0 &&
				c.made(e.Args[0], map[types.Object]bool{})
		case *ast.IndexExpr:
			return kind == "map" && c.made(e.X, map[types.Object]bool{})
		}
		return false
	})
}

// made reports whether the value of the expression, a slice or map, was made by the function that
// it is in, so that its first room is on the stack and all that it needs more is allocated. A value
// from elsewhere may have room.
func (c *checked) made(e ast.Expr, seen map[types.Object]bool) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.made(e.X, seen)
	case *ast.SliceExpr:
		return c.made(e.X, seen)
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		switch {
		case builtin(e, "append"):
			return len(e.Args) > 0 && c.made(e.Args[0], seen)
		case builtin(e, "make"):
			return true
		}
		_, conversion := e.Fun.(*ast.ArrayType)
		return conversion
	case *ast.Ident:
		if e.Name == "nil" {
			return true
		}
		v, ok := c.info.ObjectOf(e).(*types.Var)
		if !ok || v.Kind() != types.LocalVar && v.Kind() != types.ResultVar {
			return false
		}
		if seen[v] {
			return true // it is what its other values are
		}
		seen[v] = true
		return c.only(v, func(value ast.Expr) bool { return c.made(value, seen) })
	}
	return false
}

// only reports whether all values that the variable gets satisfy the condition.
func (c *checked) only(v *types.Var, ok func(ast.Expr) bool) bool {
	all := true
	is := func(e ast.Expr) bool {
		id, isName := e.(*ast.Ident)
		return isName && c.info.ObjectOf(id) == v
	}
	assigned := func(left, right []ast.Expr) {
		for i, e := range left {
			all = all && !(is(e) && (len(left) != len(right) || !ok(right[i])))
		}
	}
	ast.Inspect(c.parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			assigned(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Values) == len(n.Names) {
					assigned([]ast.Expr{name}, n.Values[i:i+1])
				} else if len(n.Values) > 0 {
					assigned([]ast.Expr{name}, nil)
				}
			}
		case *ast.RangeStmt:
			assigned([]ast.Expr{n.Key, n.Value}, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				assigned([]ast.Expr{n.X}, nil)
			}
		}
		return all
	})
	return all
}
