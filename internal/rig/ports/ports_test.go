package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Each file of assembly that reads g must be run somewhere.
func TestPorts_processors(t *testing.T) {
	files, err := filepath.Glob("../ident/g_*.s")
	if err != nil || len(files) == 0 {
		t.Skip("the sources are not here")
	}
	listed := "amd64" // what the other targets of the Makefile run on
	for _, p := range ports {
		listed += " " + p.processor
	}
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "g_"), ".s")
		if !strings.Contains(listed, strings.TrimSuffix(name, "x")) {
			t.Errorf("no port runs %s", f)
		}
	}
}
