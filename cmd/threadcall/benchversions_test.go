package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	p.short(t, "-vs", "HEAD", "./b").want(t, statusOK, "Identical, not measured")
	p.write(t, map[string]string{"b/testdata/d/x": "2"})
	r = p.short(t, "-vs", "HEAD", "-json", "./...").want(t, statusOK).report(t)
	if x := row(t, r.Comparison, "sec/op", "Y"); x.Deltas[1].N != 6 {
		t.Errorf("other testdata: %+v", x)
	}
	if files := p.files(".threadcall-bench/*.txt"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
}
