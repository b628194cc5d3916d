package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// commit commits what is there.
func (p place) commit(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.dir, ".git")); err != nil {
		p.git(t, "init", "-q")
	}
	p.git(t, "add", "-A", ".")
	p.git(t, "commit", "-q", "-m", "a commit")
}

// benchmark returns a test file with a benchmark that calls work, of which each package has its
// own.
func benchmark(pkg, name string) string {
	return fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc Benchmark%s(b *testing.B) "+
		"{\n\tfor range b.N {\n\t\twork()\n\t}\n}\n", pkg, name)
}

func worker(pkg string, n int) string {
	return fmt.Sprintf("package %s\n\nvar sink [%d]byte\n\nfunc work() {\n\tfor i := range sink "+
		"{\n\t\tsink[i]++\n\t}\n}\n", pkg, n)
}

func TestBench_packageDoesNotBuild(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"a/a.go": worker("a", 10), "a/a_test.go": benchmark("a", "X"),
		"b/b.go": worker("b", 10), "b/b_test.go": benchmark("b", "Y")})
	p.commit(t)
	p.write(t, map[string]string{"a/a.go": "package a\n\nfunc work() { undefined() }\n",
		"b/b.go": worker("b", 20)})
	c := p.short(t, "-vs", "HEAD", "-json", "./...").want(t, statusUnmeasured,
		"example.com/m/a failed").report(t).Comparison
	if x := row(t, c, "sec/op", "Y"); x.Deltas[1].N != 6 || len(c.Failures) != 1 ||
		!strings.Contains(c.Failures[0].Reason, "undefined: undefined") {
		t.Errorf("%+v, failures %+v", x, c.Failures)
	}
}

func TestBench_vs_identical(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"a/a.go": worker("a", 10), "a/a_test.go": benchmark("a", "X"),
		"b/b.go": worker("b", 10), "b/b_test.go": benchmark("b", "Y"), "b/testdata/d/x": "1"})
	p.commit(t)
	p.write(t, map[string]string{"a/a.go": "// Package a has a comment now.\n" + worker("a", 10)})
	p.short(t, "-vs", "HEAD", "-bench", "Nothing", "./...").want(t, statusUnmeasured,
		"no benchmark matches")
	r := p.short(t, "-vs", "HEAD", "-json", "-fail-on", "ns/op:+5%", "./b").want(t, statusOK,
		"Identical, not measured").report(t)
	if len(r.Identical) != 1 || r.Rounds != 0 || len(r.Comparison.Tables) != 0 {
		t.Errorf("%+v", r)
	}
	p.write(t, map[string]string{"b/testdata/d/x": "2", "b/new_test.go": benchmark("b", "New")})
	r = p.short(t, "-vs", "HEAD", "-json", "./...").want(t, statusOK).report(t)
	if x := row(t, r.Comparison, "sec/op", "Y"); x.Deltas[1].N != 6 {
		t.Errorf("other testdata: %+v", x)
	}
	if x := row(t, r.Comparison, "sec/op", "New"); x.Cells[0].N != 0 || x.Cells[1].N != 6 ||
		!strings.Contains(r.Versions[1].What, "new_test.go") {
		t.Errorf("a benchmark of the working tree: %+v, %+v", x, r.Versions)
	}
	if files := p.files(".threadcall-bench/*.txt"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
}

// What go.work and go.mod files want by a relative path, a revision gets from its own tree if it is
// in the repository, and else from the same place.
func TestBench_vs_relativePaths(t *testing.T) {
	t.Parallel()
	module := func(name string) string { return "module example.com/" + name + "\n\ngo 1.26\n" }
	constant := func(name string, n int) string {
		return fmt.Sprintf("package %s\n\nconst N = %d\n", name, n)
	}
	for name, files := range map[string]map[string]string{
		"a workspace around it": {"go.work": "go 1.26\n\nuse (\n\t./out\n\t./r/in\n\t./r/p\n)\n"},
		"a workspace that git ignores": {"r/.gitignore": "go.work\n",
			"r/go.work": "go 1.26\n\nuse (\n\t../out\n\t./in\n\t./p\n)\n"},
		"replacements": {"r/p/go.mod": module("p") + "\nrequire (\n\texample.com/in v0.0.0\n\t" +
			"example.com/out v0.0.0\n)\n\nreplace (\n\texample.com/in => ../in\n\t" +
			"example.com/out => ../../out\n)\n"},
	} {
		p := newPlace(t)
		p.write(t, map[string]string{
			"out/go.mod": module("out"), "out/out.go": constant("out", 10),
			"r/in/go.mod": module("in"), "r/in/in.go": constant("in", 1), "r/p/go.mod": module("p"),
			"r/p/p_test.go": `package p

import (
	"testing"

	"example.com/in"
	"example.com/out"
)

func BenchmarkX(b *testing.B) { b.ReportMetric(in.N+out.N, "sum/op") }
`})
		p.write(t, files)
		p.dir = filepath.Join(p.dir, "r")
		p.commit(t)
		p.write(t, map[string]string{"in/in.go": constant("in", 2)})
		p.dir = filepath.Join(p.dir, "p")
		cmd := p.invocation("-vs", "HEAD", "-count", "1", "-benchtime", "1x", "-json")
		cmd.Env = append(cmd.Env, "GOWORK=", "GIT_CEILING_DIRECTORIES=")
		r := output(t, cmd).want(t, statusOK).report(t)
		cells := row(t, r.Comparison, "sum/op", "X").Cells
		if cells[0].Center != 11 || cells[1].Center != 12 {
			t.Errorf("%s: %v in the revision, %v in the tree", name, cells[0].Center, cells[1].Center)
		}
	}
}

// A run removes the worktrees of runs that were killed, and no others.
func TestBench_vs_killedRuns(t *testing.T) {
	t.Parallel()
	p := repository(t)
	mine := filepath.Join(t.TempDir(), "mine")
	killed := filepath.Join(t.TempDir(), gotest.ScratchPrefix+"1", "old", "repository")
	for _, dir := range []string{mine, killed} {
		p.git(t, "worktree", "add", "--quiet", "--detach", dir)
		if err := os.RemoveAll(dir); err != nil { // as if on a disk that is not there today
			t.Fatal(err)
		}
	}
	p.bench(t, "-vs", "old", "-bench", "Metric", "-count", "1", "-benchtime", "1x").want(t, statusOK)
	out := p.git(t, "worktree", "list", "--porcelain")
	if !strings.Contains(out, "mine") || strings.Contains(out, gotest.ScratchPrefix) {
		t.Errorf("worktrees: %s", out)
	}
	p.git(t, "worktree", "prune")
}
