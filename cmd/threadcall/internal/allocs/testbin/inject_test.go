package testbin

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestTheHookStandsInPlaceOfRun(t *testing.T) {
	for text, want := range map[string]string{
		"func TestMain(m *testing.M) { os.Exit(m.Run()) }":                 "os.Exit(threadcallAllocsRun(m))",
		"func TestMain(t *testing.M) { serve(func() { c = t.Run() }) }":    "c = threadcallAllocsRun(t)",
		"func TestMain(m *testing.M) {\n\tm.\n\t\tRun()\n}\nfunc last(){}": "\tthreadcallAllocsRun(m)\n",
		"func TestOther(m *testing.M) { m.Run() }":                         "",
		"func (x T) TestMain(m *testing.M) { m.Run() }":                    "",
		"this is not Go": "",
	} {
		source := []byte("package p\n\n" + text + "\n")
		changed, pkg, err := hookInto("p_test.go", source)
		switch {
		case err != nil:
			t.Errorf("%s: %v", text, err)
		case want == "" && changed != nil, want != "" && (pkg != "p" || !strings.Contains(string(changed), want)):
			t.Errorf("%s: %s in %s", text, changed, pkg)
		case changed != nil && bytes.Count(changed, []byte("\n")) != bytes.Count(source, []byte("\n")):
			t.Errorf("%s: lines have other numbers", text)
		}
	}
}

func TestATestMainThatHandsItsMOnIsAnError(t *testing.T) {
	_, _, err := hookInto("p_test.go", []byte("package p\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m) }\n"))
	if !errors.Is(err, ErrTestMain) || !strings.Contains(err.Error(), "p_test.go:2") {
		t.Error(err)
	}
}

func TestLinesOfBenchmarksAreRead(t *testing.T) {
	const out = "goos: linux\nBenchmarkA-2         \t     100\t     12.5 ns/op\t 8 B/op\nBenchmarkB/x-2-2 \t1\t300 ns/op\n" +
		"BenchmarkC \t       1\nBenchmarkD-2 \t       1\t         3.000 w/op\nprintedBenchmarkE-2 \t 1\t 7 ns/op\n--- SKIP: BenchmarkF\nBenchmarkG \t3 geese\nPASS\n"
	got := results(out, 2)
	if len(got) != 5 || got[2] != (Result{"BenchmarkC", 1, 0}) || got[3] != (Result{"BenchmarkD", 1, 0}) || got[4] != (Result{"BenchmarkE", 1, 7}) || got[0] != (Result{"BenchmarkA", 100, 12}) || got[1] != (Result{"BenchmarkB/x-2", 1, 300}) {
		t.Errorf("%+v", got)
	}
	if got = results("BenchmarkE-2\t1\t1 ns/op\n", 1); len(got) != 1 || got[0].Name != "BenchmarkE-2" {
		t.Errorf("%+v", got)
	}
}

func TestDecisiveLines(t *testing.T) {
	f := Failure{"exit status 2", "goos: linux\n--- FAIL: BenchmarkX\n    x_test.go:12: wrong\npanic: oh [recovered]\ngoroutine 7\n"}
	if got := f.Decisive(); got != "--- FAIL: BenchmarkX; x_test.go:12: wrong; panic: oh [recovered]" {
		t.Error(got)
	}
	if got := (&Failure{"signal: killed", ""}).Decisive(); got != "signal: killed" {
		t.Error(got)
	}
}

func TestAPackageInTheModuleCacheIsToldWhatToDo(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	p := Package{ImportPath: "example.com/x", Dir: cache + "/example.com/x@v1.0.0", Module: &struct{ Main bool }{}, TestGoFiles: []string{"x_test.go"}}
	if _, err := (Builder{Dir: t.TempDir()}).Build(t.Context(), p, 0); err == nil || !strings.Contains(err.Error(), "copy "+p.Dir) {
		t.Error(err)
	}
}
