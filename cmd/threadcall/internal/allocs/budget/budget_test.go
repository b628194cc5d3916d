package budget

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// find looks for promises in a package of one file.
func find(t *testing.T, source string) (*Check, string, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	p := []gotest.Package{{ImportPath: "a.com/p", Dir: dir, GoFiles: []string{"p.go"}, Deps: []string{"a.com/callee"}}}
	c, err := Find(p, p)
	return c, file, err
}

func TestPromisesThatCannotBeMeantAreErrors(t *testing.T) {
	for source, want := range map[string]string{
		"package p\n\nfunc f() {}":                                                                    "no function promises anything",
		"package p\n\n//threadcall:noalloc\nvar x int":                                                "not in the doc comment",
		"package p\n\nfunc f() {\n\t//threadcall:noalloc\n}":                                          "not in the doc comment",
		"package p\n\n//threadcall:noalloc\nfunc f()":                                                 "not in the doc comment",
		"package p\n\n// threadcall:noalloc\nfunc f() {}":                                             "no blank between",
		"package p\n\n//threadcall:noalloc n<4\nfunc f(n int) {}":                                     "the condition must be like n<=32",
		"package p\n\n//threadcall:noalloc always\nfunc f() {}":                                       "the condition must be like n<=32",
		"package p\n\n//threadcall:noallocs\nfunc f() {}":                                             "//threadcall:noallocs is neither",
		"package p\n\n//threadcall:noalloc\nfunc f() {\n\t_ = new(int) //threadcall:alloc\n}":         "needs a reason",
		"package p\n\n//threadcall:noalloc\nfunc f() {\n\t//threadcall:alloc   \n\t_ = new(int)\n}\n": "needs a reason",
	} {
		if _, _, err := find(t, source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v", source, err)
		}
	}
}

func TestAPromiseInATestFileIsAnError(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p_test.go")
	if err := os.WriteFile(file, []byte("package p\n\n//threadcall:noalloc\nfunc f() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := []gotest.Package{{ImportPath: "a.com/p", Dir: dir, TestGoFiles: []string{"p_test.go"}}}
	if _, err := Find(p, p); err == nil || !strings.Contains(err.Error(), "p_test.go:4: f promises in a test file") {
		t.Error(err)
	}
}

const promising = `package p

var v func()

// f promises.
//
//threadcall:noalloc
func f(n int) {
	v = func() {}
	v = func() { n++ }
	//threadcall:alloc once
	v = func() { n++ }
	v = func() { v() }
}
`

func TestAnExcuseIsForTheNextLine(t *testing.T) {
	c, _, err := find(t, promising)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Excuses) != 1 || c.Excuses[0].Line != 12 || c.Excuses[0].Reason != "once" {
		t.Errorf("%+v", c.Excuses)
	}
}

func TestWhichFunctionIsBlamed(t *testing.T) {
	c, file, err := find(t, promising)
	if err != nil {
		t.Fatal(err)
	}
	promised := heap.Frame{Function: "a.com/p.f", File: file, Line: 10}
	excused := heap.Frame{Function: "a.com/p.f", File: file, Line: 12}
	other := heap.Frame{Function: "a.com/p.g", File: file, Line: 30}
	callee := heap.Frame{Function: "a.com/callee.F", File: "/callee.go", Line: 3}
	caller := heap.Frame{Function: "a.com/caller.F", File: "/caller.go", Line: 3}
	test := heap.Frame{Function: "a.com/p.BenchmarkF.func1", File: "/p_test.go", Line: 3}
	for name, x := range map[string]struct {
		stack  heap.Stack
		blamed bool
	}{
		"itself":                        {heap.Stack{promised, caller}, true},
		"its callee":                    {heap.Stack{callee, promised}, true},
		"a callee of its package":       {heap.Stack{other, promised}, true},
		"what it was given by a test":   {heap.Stack{test, promised}, false},
		"what it was given by a caller": {heap.Stack{caller, promised}, false},
		"an excused line":               {heap.Stack{excused, caller}, false},
		"called by an excused line":     {heap.Stack{callee, excused, promised}, false},
		"its caller":                    {heap.Stack{caller, caller}, false},
	} {
		if got, _ := c.blamed(x.stack); (got != nil) != x.blamed {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWhatWasSeen(t *testing.T) {
	for text, want := range map[string]struct{ reached, kept bool }{
		"0 4 4\n":           {true, true},
		"0 3 4\n":           {true, false},
		"0 5 4\n":           {false, false}, // beyond its limit
		"0 5 4\n0 4 4\n":    {true, true},
		"1 4 4\n0\n0 x 4\n": {false, false},
		"":                  {false, false},
	} {
		c, _, err := find(t, "package p\n\n//threadcall:noalloc n<=4\nfunc f(n int) {}\n")
		if err != nil {
			t.Fatal(err)
		}
		c.Seen("BenchmarkF", text)
		if f := c.Functions[0]; f.Reached != want.reached || f.Kept() != want.kept || c.OK() != want.kept {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestInstrumentedLinesKeepTheirNumbers(t *testing.T) {
	c, file, err := find(t, "package p\n\n//threadcall:noalloc len(s)<=4 && n<=2\nfunc f(s string, n int) {}\n\n//threadcall:noalloc\nfunc g() {\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := c.Instrument()
	want := "package p\n\n//threadcall:noalloc len(s)<=4 && n<=2\nfunc f(s string, n int) { threadcallSeen(0, int64(len(s)), 4, int64(n), 2);}\n\n" +
		"//threadcall:noalloc\nfunc g() { threadcallSeen(1);\n}\n"
	if err != nil || len(texts) != 2 || string(texts[file]) != want {
		t.Errorf("%v\n%s", err, texts[file])
	}
}
