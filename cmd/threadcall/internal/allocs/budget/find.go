package budget

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

const (
	tool    = "threadcall"
	promise = "//threadcall:noalloc"
	excuse  = "//threadcall:alloc"
)

// Find finds the promises in the named packages, and the excuses in these and in all that they
// depend on outside the standard library. Those in wrong places are an error.
func Find(named, all []gotest.Package) (*Check, error) {
	c := &Check{imports: map[string]map[string]bool{}, standard: map[string]bool{}}
	var wrong []error
	for _, p := range all {
		deps := map[string]bool{}
		for _, d := range p.Deps {
			deps[d] = true
		}
		if c.imports[p.ImportPath] = deps; p.Standard {
			c.standard[p.ImportPath] = true
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			if err := c.read(p, filepath.Join(p.Dir, name)); err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	own := map[string]bool{}
	for _, p := range named {
		own[p.ImportPath] = true
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			tests := &Check{}
			_ = tests.read(p, filepath.Join(p.Dir, name)) // the compiler reports what is not Go
			for _, f := range tests.Functions {
				wrong = append(wrong, fmt.Errorf("%s:%d: %s promises in a test file, where nothing is checked",
					f.File, f.Line, f.Name))
			}
		}
	}
	others := func(f *alloc.Function) bool { return !own[f.Package] }
	c.Functions = slices.DeleteFunc(c.Functions, others)
	return c, errors.Join(wrong...)
}

// read finds the promises and excuses of one file.
func (c *Check) read(p gotest.Package, file string) error {
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("threadcall:")) {
		return err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	promises := map[token.Pos]bool{}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			at := files.Position(comment.Pos())
			d, _ := ast.ParseDirective(comment.Pos(), comment.Text)
			if d.Tool != tool {
				word, _, _ := strings.Cut(strings.TrimLeft(comment.Text, "/ \t"), " ")
				if "//"+word == promise || "//"+word == excuse {
					return fmt.Errorf("%s: there must be no blank between // and %s, or it has no effect", at,
						word)
				}
				continue
			}
			switch "//" + d.Tool + ":" + d.Name {
			case promise:
				if promises[comment.Pos()] = true; d.Args != "" {
					return fmt.Errorf("%s: %s has no condition: excuse the line that allocates with %s", at,
						promise, excuse)
				}
			case excuse:
				if d.Args == "" {
					return fmt.Errorf("%s: %s needs a reason", at, excuse)
				}
				if before := text[at.Offset-at.Column+1 : at.Offset]; len(bytes.TrimSpace(before)) == 0 {
					at.Line++ // it has a line of its own
				}
				c.Excuses = append(c.Excuses, &alloc.Excuse{Position: report.Position{File: file,
					Line: at.Line}, Reason: d.Args})
			case "//threadcall:on", "//threadcall:runs", "//threadcall:ignore": // of threadcall vet
			default:
				return fmt.Errorf("%s: //%s:%s is neither %s nor %s", at, tool, d.Name, promise, excuse)
			}
		}
	}
	line := func(p token.Pos) int { return files.Position(p).Line }
	for _, d := range parsed.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil || fn.Body == nil {
			continue
		}
		for _, comment := range fn.Doc.List {
			if !promises[comment.Pos()] {
				continue
			}
			delete(promises, comment.Pos())
			c.Generic = c.Generic || fn.Type.TypeParams != nil ||
				fn.Recv != nil && strings.Contains(types.ExprString(fn.Recv.List[0].Type), "[")
			c.Functions = append(c.Functions, &alloc.Function{Package: p.ImportPath, Name: name(fn),
				Position: report.Position{File: file, Line: line(fn.Name.Pos())}, To: line(fn.Body.End())})
		}
	}
	for at := range promises {
		return fmt.Errorf("%s: %s is not in the doc comment of a function with a body",
			files.Position(at), promise)
	}
	return nil
}

// name is that of the function as stacks have it, without type parameters.
func name(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver, _, _ := strings.Cut(types.ExprString(fn.Recv.List[0].Type), "[")
	if strings.HasPrefix(receiver, "*") {
		receiver = "(" + receiver + ")"
	}
	return receiver + "." + fn.Name.Name
}
