package threadvet

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const (
	mainThread = "main"
	anyThread  = "any"

	lockedThread = "locked"   // whichever it is
	windowThread = "window's" // whichever has made the window

	unknownThread = "?" // some thread, perhaps main
)

// marks are the comments of a package that docs/vet.md describes.
type marks struct {
	on    map[types.Object]string
	runs  map[types.Object]string
	lines map[token.Position]mark // by file and line alone
	fset  *token.FileSet
	whole string // of the package
}

type mark struct {
	verb, name string
	alone      bool // on its line, so it is for the next one
}

func (m *marks) empty() bool {
	return len(m.on)+len(m.runs)+len(m.lines) == 0 && m.whole == ""
}

func parseMark(c *ast.Comment) (m mark, ok bool) {
	d, ok := ast.ParseDirective(c.Pos(), c.Text)
	args, _, _ := strings.Cut(d.Args, "//") // what tests want
	m = mark{verb: d.Name, name: append(strings.Fields(args), "")[0]}
	return m, ok && d.Tool == "threadcall" &&
		(m.verb == "ignore" || m.name != "" && (m.verb == "on" || m.verb == "runs"))
}

// mistyped reports whether a comment that is no mark was meant to be one; those of allocs were not.
func mistyped(text string) bool {
	words := strings.Fields(strings.TrimPrefix(text, "//") + " .")
	verb, ok := strings.CutPrefix(words[0], "threadcall:")
	if strings.HasPrefix(text, "//threadcall:") {
		return verb != "alloc" && verb != "noalloc"
	}
	return ok && len(words) == 3 && (verb == "on" || verb == "runs")
}

func parseMarks(pass *analysis.Pass) *marks {
	m := &marks{on: map[types.Object]string{}, runs: map[types.Object]string{},
		lines: map[token.Position]mark{}, fset: pass.Fset}
	for _, file := range pass.Files {
		m.parse(pass, file)
	}
	return m
}

func (m *marks) parse(pass *analysis.Pass, file *ast.File) {
	declared := map[*ast.Comment]bool{}
	define := func(names []*ast.Ident, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			for i := 0; g != nil && i < len(g.List); i++ {
				one, ok := parseMark(g.List[i])
				if !ok || one.verb == "ignore" {
					continue
				}
				declared[g.List[i]] = true
				on := m.on
				if one.verb == "runs" {
					on = m.runs
				}
				for _, id := range names {
					if obj := pass.TypesInfo.Defs[id]; obj != nil {
						on[obj] = one.name
					} else if id == file.Name {
						m.whole = one.name
					}
				}
			}
		}
	}
	define([]*ast.Ident{file.Name}, file.Doc)
	for n := range ast.Preorder(file) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			define([]*ast.Ident{n.Name}, n.Doc)
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					define([]*ast.Ident{spec.Name}, n.Doc, spec.Doc, spec.Comment)
				case *ast.ValueSpec:
					define(spec.Names, n.Doc, spec.Doc, spec.Comment)
				}
			}
		case *ast.Field:
			names := n.Names
			if len(names) == 0 { // an embedded field has the name of its type
				for n := range ast.Preorder(n.Type) {
					if id, ok := n.(*ast.Ident); ok {
						names = []*ast.Ident{id}
					}
				}
			}
			define(names, n.Doc, n.Comment)
		}
	}
	for _, g := range file.Comments {
		for _, c := range g.List {
			one, ok := parseMark(c)
			if !ok && mistyped(c.Text) {
				pass.Report(analysis.Diagnostic{Pos: c.Pos(), Category: "mark", Message: "this is not a " +
					"mark, which is //threadcall:on NAME, //threadcall:runs NAME or //threadcall:ignore REASON"})
			}
			if !ok || declared[c] {
				continue
			}
			raw := pass.Fset.PositionFor(c.Pos(), false)
			source, err := pass.ReadFile(raw.Filename)
			one.alone = err == nil &&
				len(bytes.TrimSpace(source[raw.Offset-raw.Column+1:raw.Offset])) == 0
			m.lines[m.at(c.Pos())] = one
		}
	}
}

// at returns the file and line of pos.
func (m *marks) at(pos token.Pos) token.Position {
	at := m.fset.Position(pos)
	return token.Position{Filename: at.Filename, Line: at.Line}
}

// line returns the mark of the line at pos, or of the one above if that has nothing else.
func (m *marks) line(pos token.Pos) mark {
	at := m.at(pos)
	if one := m.lines[at]; !one.alone && one.verb != "" {
		return one
	}
	for at.Line--; m.lines[at].alone; at.Line-- { // several marks may stand above
		if one := m.lines[at]; one.verb != "runs" {
			return one
		}
	}
	return mark{}
}

// ignored reports whether nothing is to be reported at pos.
func (m *marks) ignored(pos token.Pos) bool {
	one := m.line(pos)
	return one.verb == "ignore" || one.verb == "on" && one.name == anyThread
}
