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

func TestReadConsole(t *testing.T) {
	const begin, end = "== cores 8\r\n== begin /p\r\n", "== end true\r\n"
	for console, ok := range map[string]bool{
		begin + "PASS\r\n" + end:           true,
		begin + "FAIL\r\n== end false\r\n": false,
		begin:                              false, // the guest has crashed
		strings.Replace(begin, "8", "1", 1) + end: false,
		"": false,
	} {
		if err := readConsole(strings.NewReader(console), "8"); (err == nil) != ok {
			t.Errorf("%q: %v", console, err)
		}
	}
}
