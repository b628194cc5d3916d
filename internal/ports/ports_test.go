package main

import (
	"path/filepath"
	"slices"
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
		begin + "| 1 | 2 |\r\nPASS\r\n" + end:     true,
		begin + "FAIL\r\n== end false\r\n":        false,
		begin:                                     false, // the guest has crashed
		strings.Replace(begin, "8", "1", 1) + end: false,
		"": false,
	} {
		table, _, err := readConsole(strings.NewReader(console), "8")
		if (err == nil) != ok || ok && table != "| 1 | 2 |\n" {
			t.Errorf("%q: %q, %v", console, table, err)
		}
	}
}

func TestCpio(t *testing.T) {
	var a cpio
	a.add("a/b/c", []byte("12345"), 0o644)
	a.add("a/b/d", nil, 0o644)
	var at []int
	for _, name := range []string{"a\x00", "a/b\x00", "a/b/c\x00", "12345\x00\x00\x00", "a/b/d\x00"} {
		at = append(at, strings.Index(a.String(), name))
	}
	if a.Len()%4 != 0 || at[0] < 0 || !slices.IsSorted(at) {
		t.Errorf("at %v in %q", at, a.String())
	}
}
