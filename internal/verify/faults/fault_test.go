package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
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

func TestEveryFaultApplies(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range read(t) {
		if seen[f.name] || len(f.edits) == 0 {
			t.Errorf("%s is there twice, or changes nothing", f.name)
		}
		seen[f.name] = true
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == f.check }) {
			t.Errorf("%s: there is no check %q", f.name, f.check)
		}
		sources := map[string][]string{}
		for _, e := range f.edits {
			if sources[e.file] == nil {
				text, err := os.ReadFile(filepath.Join("../../..", e.file))
				if err != nil {
					t.Fatal(err)
				}
				sources[e.file] = strings.Split(string(text), "\n")
			}
			lines, err := e.apply(sources[e.file])
			if err != nil {
				t.Errorf("%s: %s: %v; make the same mistake in the code as it is now", f.name, e.file, err)
				continue
			}
			sources[e.file] = lines
		}
		for file, lines := range sources {
			if _, err := parser.ParseFile(token.NewFileSet(), file, strings.Join(lines, "\n"), 0); err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
	}
}

func TestAnEditIgnoresSpaceAndCommentsAndNothingElse(t *testing.T) {
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
