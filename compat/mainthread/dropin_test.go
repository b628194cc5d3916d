package mainthread

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/dropin.txt
var dropIn string

// A program that uses any exported name of the packages that threadcall stands in for compiles with
// ours, as a function value, too.
func TestDropIn_hasEveryNameOfTheOriginals(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, packages := t.TempDir(), 0
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const module = "github.com/threadcall/threadcall"
	write("go.mod", fmt.Sprintf("module example.com/dropin\ngo 1.24.0\n"+
		"require (\n%[1]s v0.1.0\n%[1]s/compat/mainthread v0.1.0\n%[1]s/compat/thread v0.1.0\n)\n"+
		"replace (\n%[1]s => %[2]q\n%[1]s/compat/mainthread => %[3]q\n%[1]s/compat/thread => %[4]q\n)\n",
		module, filepath.Join(here, "..", ".."), here, filepath.Join(here, "..", "thread")))
	for _, section := range strings.Split(dropIn, "\npackage ")[1:] {
		header, lines, _ := strings.Cut(section, "\n")
		theirs, ours, _ := strings.Cut(header, " -> ")
		file := fmt.Sprintf("// %s\npackage dropin\nimport . %q\n", theirs, module+"/"+ours)
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line != "" {
				file += use(t, line)
			}
		}
		packages++
		sub := fmt.Sprintf("p%d", packages)
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(sub, strings.ReplaceAll(strings.Fields(theirs)[0], "/", "_")+".go"), file)
	}
	if packages != 6 {
		t.Errorf("%d packages", packages)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-e", "./...")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// use returns a declaration that compiles if the package has what line declares.
func use(t *testing.T, line string) string {
	if words := strings.Fields(line); words[0] == "var" {
		return fmt.Sprintf("var _ *%s = &%s\n", words[2], words[1])
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package p\n"+line, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := file.Decls[0].(*ast.FuncDecl)
	if f.Type.TypeParams == nil { // var _ func(int) = F, or func(T, int) = T.F
		value := ast.Expr(f.Name)
		if f.Recv != nil {
			f.Type.Params.List = append(f.Recv.List, f.Type.Params.List...)
			value = &ast.SelectorExpr{X: &ast.ParenExpr{X: f.Recv.List[0].Type}, Sel: f.Name}
		}
		return fmt.Sprintf("var _ %s = %s\n", source(t, fset, f.Type), source(t, fset, value))
	}
	call := &ast.CallExpr{Fun: ast.NewIdent(f.Name.Name)}
	for _, p := range f.Type.Params.List {
		call.Args = append(call.Args, p.Names[0])
	}
	f.Name = ast.NewIdent("_")
	f.Body = &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call}}}
	if f.Type.Results != nil {
		f.Body.List[0] = &ast.ReturnStmt{Results: []ast.Expr{call}}
	}
	return source(t, fset, f) + "\n"
}

func source(t *testing.T, fset *token.FileSet, n ast.Node) string {
	var b strings.Builder
	if err := format.Node(&b, fset, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
