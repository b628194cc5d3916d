package docs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// packages are those that programs import.
var packages = strings.Fields("thread mainthread keyed osthread recorder recorder/recorderhttp " +
	"app nativeloop compat/mainthread")

// TestNames_eachHasOnePurpose checks that each exported name of a package, and no other, stands in
// the package's table of names.md, once.
func TestNames_eachHasOnePurpose(t *testing.T) {
	sections := map[string]string{}
	for _, s := range strings.Split(files(t, "docs/names.md")["docs/names.md"], "\n## ")[1:] {
		title, text, _ := strings.Cut(s, "\n")
		sections[strings.Trim(title, "`")] = text
	}
	code := files(t, ".go")
	for _, dir := range packages {
		listed := []string{}
		for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\| .+ \\|$").FindAllStringSubmatch(
			sections[dir], -1) {
			for _, name := range strings.Split(row[1], ", ") {
				listed = append(listed, strings.Trim(name, "`"))
			}
		}
		exported := exportedNames(t, code, dir)
		for _, name := range exported {
			if n := len(listed); len(slices.DeleteFunc(slices.Clone(listed),
				func(l string) bool { return l == name })) != n-1 {
				t.Errorf("%s.%s must stand in docs/names.md once", dir, name)
			}
		}
		for _, name := range listed {
			if !slices.Contains(exported, name) {
				t.Errorf("docs/names.md lists %s.%s, which does not exist", dir, name)
			}
		}
	}
}

// exportedNames returns the exported functions, types, methods, variables and constants of the
// package in a folder of the repository.
func exportedNames(t *testing.T, code map[string]string, dir string) (names []string) {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for name, text := range code {
		if path.Dir(name) == dir && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
	}
	p, err := doc.NewFromFiles(fset, parsed, dir)
	if err != nil {
		t.Fatal(err)
	}
	values := slices.Concat(p.Consts, p.Vars)
	functions := p.Funcs
	for _, typ := range p.Types {
		names = append(names, typ.Name)
		values = slices.Concat(values, typ.Consts, typ.Vars)
		functions = slices.Concat(functions, typ.Funcs)
		for _, m := range typ.Methods {
			names = append(names, typ.Name+"."+m.Name)
		}
	}
	for _, v := range values {
		names = append(names, slices.DeleteFunc(v.Names,
			func(name string) bool { return !token.IsExported(name) })...)
	}
	for _, f := range functions {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		t.Fatalf("package %s has no names", dir)
	}
	return names
}
