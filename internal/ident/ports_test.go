package ident

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file of assembly that reads g must be run somewhere.
func TestPorts_processors(t *testing.T) {
	ports, err := os.ReadFile("../../.ci/ports")
	if err != nil {
		t.Skip("the sources are not here")
	}
	listed := "/amd64 " + string(ports) // what the other targets of the Makefile run on
	files, err := filepath.Glob("g_*.s")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no assembly")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		constraint, _, _ := strings.Cut(string(text), "\n")
		_, processors, several := strings.Cut(constraint, "(")
		if !several {
			processors = strings.TrimSuffix(strings.TrimPrefix(f, "g_"), ".s")
		}
		for _, p := range strings.Split(strings.Trim(processors, ")"), " || ") {
			if !strings.Contains(listed, "/"+p+" ") {
				t.Errorf("no port runs %s on %s", f, p)
			}
		}
	}
}
