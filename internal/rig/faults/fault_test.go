package main

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T) []*fault {
	text, err := os.ReadFile("faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	faults, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

func TestFaults(t *testing.T) {
	faults := read(t)
	t.Chdir("../../..")
	seen := map[string]bool{}
	for _, f := range faults {
		if seen[f.name] || len(f.edits) == 0 {
			t.Errorf("%s is there twice, or changes nothing", f.name)
		}
		seen[f.name] = true
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == f.check }) {
			t.Errorf("%s: there is no check %q", f.name, f.check)
		}
		changed, err := f.apply()
		if err != nil {
			t.Errorf("%s: %v; make the same mistake in the code as it is now", f.name, err)
		}
		for file, text := range changed {
			if _, err := parser.ParseFile(token.NewFileSet(), file, text, 0); err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
	}
}

func TestEdit_apply(t *testing.T) {
	e := edit{lines: []string{" b", "-x"}}
	got, err := e.apply([]string{"a", "x", "\tb // as before", "\tx", "c"})
	if want := []string{"a", "x", "b", "c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, lines := range [][]string{{"a", "b", "y"}, {"b", "x", "b", "x"}} {
		if got, err := e.apply(lines); err == nil {
			t.Errorf("%q becomes %q", lines, got)
		}
	}
}

func TestMutations(t *testing.T) {
	const source = `package p
func (x *T[K]) f(c chan int) {
	if x.n--; x.n > 0 && x.a {
		defer x.close()
		y := 1
	}
	switch { case x.b: c <- 1; c <- 1 }
	for ; x.c; x.n++ { x.n = 2 }
}`
	var got []string
	all, err := mutationsIn("p.go", source)
	for _, m := range all {
		got = append(got, m.what+": "+strings.TrimSpace(strings.Split(m.text, "\n")[m.line-1]))
		if m.function != "*T[K].f" {
			t.Errorf("%s is in %s", m.what, m.function)
		}
	}
	want := []string{
		"without x.n--: if ; x.n > 0 && x.a {",
		"!(x.n > 0 && x.a): if x.n--; !(x.n > 0 && x.a) {",
		"x.n > 0 || x.a: if x.n--; x.n > 0 || x.a {",
		"without defer x.close(): if false { defer x.close() }",
		"!(x.b): switch { case !(x.b): c <- 1; c <- 1 }",
		"without c <- 1: switch { case x.b: if false { c <- 1 }; c <- 1 }",
		"without c <- 1: switch { case x.b: c <- 1; if false { c <- 1 } }",
		"!(x.c): for ; !(x.c); x.n++ { x.n = 2 }",
		"without x.n++: for ; x.c;  { x.n = 2 }",
		"without x.n = 2: for ; x.c; x.n++ { if false { x.n = 2 } }",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
