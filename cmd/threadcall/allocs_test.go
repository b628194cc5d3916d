package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// allocsOf runs the command in the module of known allocations.
func allocsOf(t *testing.T, args ...string) outcome {
	t.Helper()
	dir := filepath.Join("internal", "allocs", "testdata", "fixture")
	return output(t, invocation(dir, []string{"GOWORK=off", "GOFLAGS="},
		append([]string{"allocs"}, args...)...))
}

func TestAllocs(t *testing.T) {
	o := allocsOf(t, "-bench", "Inlined|Insert|Nothing|Send", "-benchtime", "100x", "-stacks")
	o.want(t, statusOK, "Nothing an operation BenchmarkNothing", "BenchmarkSend example.com/fixture",
		"24 B and 1 object an operation: the difference of 100 and 200",
		"24 1 fixture.go:21 fixture.send new: func literal escapes to heap: sent on a",
		"runtime.newobject", "fixture.helper fixture.go:", "fixture.inlined fixture.go:",
		"fixture.BenchmarkInlined fixt").plain(t)
	if strings.Contains(o.stderr, "threadcall:") { // besides progress, where that takes long
		t.Errorf("stderr %q", o.stderr)
	}
	o = allocsOf(t, "-bench", "Inlined|Send", "-benchtime", "100x", "-json").want(t, statusOK)
	r := decoded[alloc.Report](t, o.stdout)
	if len(r.Runs) != 2 || r.Runs[0].Name != "BenchmarkSend" || len(r.Runs[0].Rows[0].Escapes) != 1 {
		t.Errorf("%+v", r.Runs)
	}
}

func TestAllocs_budget(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"go.mod": "module example.com/p\n\ngo 1.24\n",
		"p.go":      "package p\n\nvar v *int\n\n//threadcall:noalloc\nfunc f() { v = new(int) }\n",
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc BenchmarkF(b *testing.B) { f() }\n"})
	output(t, invocation(dir, []string{"GOWORK=off", "GOFLAGS="}, "allocs", "-budget", "-benchtime",
		"100x")).
		want(t, statusWrong, "not all functions that promise not to allocate keep it", "BROKEN p.go:6 f")
}

func TestAllocs_interrupt(t *testing.T) {
	noInterrupts(t)
	t.Parallel()
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"go.mod": "module example.com/p.v2\n\ngo 1.24\n",
		"p_test.go": `package p

import (
	"os"
	"testing"
	"time"
)

var v *[4]int

func BenchmarkFirst(b *testing.B) {
	for range b.N {
		v = new([4]int)
	}
}

func BenchmarkHangs(b *testing.B) {
	os.WriteFile("hangs", nil, 0o600)
	time.Sleep(time.Hour) // and not select, which the runtime reports as a deadlock
}
`})
	run := start(t, invocation(dir, []string{"GOWORK=off", "GOFLAGS="}, "allocs", "-benchtime",
		"100x"))
	for { // until the second benchmark hangs
		if _, err := os.Stat(filepath.Join(dir, "hangs")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	run.interrupt(t)
	run.end(t).want(t, statusWrong, "BenchmarkFirst", "p_test.go:13 p.v2.BenchmarkFirst",
		"interrupted")
}

func TestAllocs_refusals(t *testing.T) {
	for _, c := range []refusal{
		{"-bench Nowhere .", statusWrong,
			`no benchmark matches "Nowhere", or those are skipped; there are BenchmarkSend`},
		{"-bench Panics$ .", statusWrong, "are skipped"},
		{"./empty", statusWrong, "no benchmarks"},
		{"./nowhere", statusWrong, "nowhere"},
		{"strings", statusWrong, "strings is a package of the standard library"},
		{"./broken", statusWrong, "undefined: nowhere"},
	} {
		allocsOf(t, strings.Fields(c.args)...).want(t, c.status, c.complaint)
	}
}
