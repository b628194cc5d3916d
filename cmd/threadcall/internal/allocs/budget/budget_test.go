package budget

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// find looks for promises in a package of one file.
func find(t *testing.T, source string) (*Check, string, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	p := []gotest.Package{{ImportPath: "a.com/p", Dir: dir, GoFiles: []string{"p.go"},
		Deps: []string{"a.com/callee"}}}
	c, err := Find(p)
	return c, file, err
}

func TestFind(t *testing.T) {
	const promise = "package p\n\n//threadcall:noalloc"
	for source, want := range map[string]string{
		promise + "\nvar x int":                                        "not in the doc comment",
		"package p\n\nfunc f() {\n\t//threadcall:noalloc\n}":           "not in the doc comment",
		promise + "\nfunc f()":                                         "not in the doc comment",
		"package p\n\n// threadcall:noalloc\nfunc f() {}":              "no blank between",
		promise + " n<=4\nfunc f(n int) {}":                            "has no condition",
		promise + "s\nfunc f() {}":                                     "noallocs is neither",
		promise + "\nfunc f() {\n\t_ = new(int) //threadcall:alloc\n}": "needs a reason",
	} {
		if _, _, err := find(t, source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v", source, err)
		}
	}
	c, file, err := find(t, promising)
	if err != nil || len(c.Excuses) != 1 || c.Excuses[0].Line != 12 || c.Excuses[0].Reason != "once" {
		t.Errorf("%+v, %v", c, err)
	}
	p := []gotest.Package{{ImportPath: "a.com/p", Dir: filepath.Dir(file),
		TestGoFiles: []string{"p.go"}}}
	if _, err := Find(p); err == nil || !strings.Contains(err.Error(),
		"f promises in a test file") {
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

// What cgo writes for a call of C converts its arguments to interfaces in a branch that never runs.
func TestCheck_Code_cgo(t *testing.T) {
	c, file, err := find(t, promising)
	if err != nil {
		t.Fatal(err)
	}
	in := func(file string, n int) report.Position { return report.Position{File: file, Line: n} }
	calls := func(target, file string, n int) []call {
		return []call{{target, in(file, n), in(file, n)}}
	}
	const own = "_cgo_gotypes.go"
	c.Code([]Compiled{{"a.com/p.f", in(file, 8), calls("a.com/p.C.add", file, 10)},
		{"a.com/p.C.add", in(own, 83), calls("runtime.convT32", own, 88)}}, escape.New())
	if f := c.Functions[0]; f.Broken != nil || !slices.Equal(f.Calls, []string{"p.C.add"}) {
		t.Errorf("%+v", f)
	}
}

func frame(function, file string, line int) alloc.Frame {
	return alloc.Frame{Function: function, Position: report.Position{File: file, Line: line}}
}

func TestCheck_blamed(t *testing.T) {
	c, file, err := find(t, promising)
	if err != nil {
		t.Fatal(err)
	}
	promised := frame("a.com/p.f", file, 10)
	excused := frame("a.com/p.f", file, 12)
	other := frame("a.com/p.g", file, 30)
	callee := frame("a.com/callee.F", "/callee.go", 3)
	caller := frame("a.com/caller.F", "/caller.go", 3)
	test := frame("a.com/p.BenchmarkF.func1", "/p_test.go", 3)
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
