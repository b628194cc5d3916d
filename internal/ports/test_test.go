package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const events = `
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:12: no threads here\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Test":"TestD/sub","Output":"    d_test.go:1: lost\n"}
{"Action":"fail","Package":"p","Test":"TestD/sub"}
{"Action":"fail","Package":"p","Test":"TestD"}
{"Action":"fail","Package":"p"}
{"Action":"skip","Package":"without tests"}
`

func TestRead(t *testing.T) {
	r := read([]byte(events))
	if r.passed != 1 || r.skipped != 2 || r.failed != 2 || r.ok() {
		t.Errorf("%+v", r)
	}
	if r.reasons["no threads here"] != 1 || r.reasons["TestC says not why"] != 1 {
		t.Errorf("reasons %v", r.reasons)
	}
	if !strings.Contains(r.output, "lost") || strings.Contains(r.output, "TestA") {
		t.Errorf("of the failures it shows %q", r.output)
	}
}

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
	for _, test := range []struct {
		console string
		ok      bool
	}{
		{begin + "=== RUN   TestA\r\n--- PASS: TestA (0.00s)\r\nPASS\r\n" + end, true},
		{begin + "=== RUN   TestA\r\n--- FAIL: TestA (0.00s)\r\nFAIL\r\n== end false\r\n", false},
		{begin + "=== RUN   TestA\r\n", false}, // the guest has crashed
		{strings.Replace(begin, "8", "1", 1) + end, false},
		{"", false},
	} {
		r := readConsole(strings.NewReader(test.console), "8")
		if r.ok() != test.ok || test.ok && r.passed != 1 {
			t.Errorf("%q: %+v", test.console, r)
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
