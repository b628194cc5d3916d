package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file of assembly that reads g must be run somewhere.
func TestPorts_processors(t *testing.T) {
	files, err := filepath.Glob("../../ident/g_*.s")
	if err != nil || len(files) == 0 {
		t.Fatal("the sources are not here")
	}
	listed := "amd64" // what the other targets of the Makefile run on
	for _, p := range ports {
		listed += " " + p.processor
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		constraint, _, _ := strings.Cut(string(text), "\n")
		_, processors, several := strings.Cut(constraint, "(")
		if !several {
			processors = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "g_"), ".s")
		}
		for _, p := range strings.Split(strings.Trim(processors, ")"), " || ") {
			if !strings.Contains(listed, p) {
				t.Errorf("no port runs %s on %s", f, p)
			}
		}
	}
}
