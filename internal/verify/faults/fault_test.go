package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
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
				t.Errorf("%s: %s: %v; make the same mistake in the code of today, and -add it", f.name, e.file, err)
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

func TestTheListIsAsItIsWritten(t *testing.T) {
	for _, f := range read(t) {
		again, err := parse(f.String())
		if err != nil || len(again) != 1 || !reflect.DeepEqual(again[0], f) {
			t.Errorf("%s is read as %v, %v", f, again, err)
		}
	}
}

func TestADiffIsCutToWhatTellsItsPlace(t *testing.T) {
	source := strings.Split("a\nx\nb\nx\nc", "\n")
	edits := fromDiff("--- a/f\n+++ b/f\n@@ -2,4 +2,3 @@\n x\n b\n-x\n c\n")
	if len(edits) != 1 || edits[0].file != "f" {
		t.Fatal(edits)
	}
	e := edits[0]
	if err := e.refresh(source); err != nil {
		t.Fatal(err)
	}
	if want := []string{" b", "-x"}; !slices.Equal(e.lines, want) {
		t.Errorf("%q, want %q", e.lines, want)
	}
	got, err := e.apply(source)
	if want := []string{"a", "x", "b", "c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	source[3] = "\tx // of late"
	if err := e.refresh(source); err != nil || !slices.Equal(e.lines, []string{"-" + source[3]}) {
		t.Errorf("%q, %v", e.lines, err)
	}
	source[1], source[3] = "y", "y"
	if _, err := e.apply(source); err == nil || e.refresh(source) == nil {
		t.Error("it applies to lines that are gone")
	}
}
