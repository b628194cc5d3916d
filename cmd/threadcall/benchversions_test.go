package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// git makes a repository of what is there.
func (p place) commit(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.dir, ".git")); err != nil {
		p.git(t, "init", "-q")
	}
	p.git(t, "add", "-A", ".")
	p.git(t, "commit", "-q", "-m", "a commit")
}

// benchmark returns a test file with a benchmark that calls work, of which each package has its own.
func benchmark(pkg, name string) string {
	return fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc Benchmark%s(b *testing.B) {\n\tfor range b.N {\n\t\twork()\n\t}\n}\n", pkg, name)
}

func worker(pkg string, n int) string {
	return fmt.Sprintf("package %s\n\nvar sink [%d]byte\n\nfunc work() {\n\tfor i := range sink {\n\t\tsink[i]++\n\t}\n}\n", pkg, n)
}

func TestBenchmarksOfTheNewVersionAreMeasuredOnOldCode(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"a/a.go": worker("a", 10), "a/testdata/x": "old", "b/b.go": worker("b", 10), "b/b_test.go": benchmark("b", "Old")})
	p.commit(t)
	p.write(t, map[string]string{"a/a.go": worker("a", 20), "a/a_test.go": benchmark("a", "Added"), "a/testdata/x": "new",
		"b/b.go": worker("b", 20), "b/b_test.go": benchmark("b", "Old"), "b/c_test.go": benchmark("b", "More")})

	c := p.bench(t, append(shortly, "-vs", "HEAD", "-json", "./...")...).want(t, statusOK, "-tests new").report(t).Comparison
	for name, n := range map[string]int{"Added": 0, "More": 0, "Old": 6} {
		if r := row(t, c, "sec/op", name); r.Cells[0].N != n || r.Cells[1].N != 6 {
			t.Errorf("%s: %d and %d values", name, r.Cells[0].N, r.Cells[1].N)
		}
	}
	c = p.bench(t, append(shortly, "-vs", "HEAD", "-tests", "new", "-json", "./...")...).want(t, statusOK).report(t).Comparison
	for _, name := range []string{"Added", "More", "Old"} {
		if r := row(t, c, "sec/op", name); r.Cells[0].N != 6 || r.Cells[1].N != 6 {
			t.Errorf("with -tests new, %s: %d and %d values", name, r.Cells[0].N, r.Cells[1].N)
		}
	}
	p.write(t, map[string]string{"a/new.go": "package a\n\nfunc better() {}\n", "a/a_test.go": strings.Replace(benchmark("a", "Added"), "work()", "better()", 1)})
	p.bench(t, append(shortly, "-vs", "HEAD", "-tests", "new", "./a")...).want(t, statusUnmeasured, "tests do not compile", "undefined: better")
	p.bench(t, append(shortly, "-vs", "HEAD", "-tests", "old")...).want(t, statusUsage, "-tests can be new")
	p.bench(t, append(shortly, "-tests", "new")...).want(t, statusUsage, "-tests is about the revision")
	p.clean(t)
}

func TestPackagesOfAModuleThatWasRenamedAreCompared(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"a/a.go": worker("a", 10), "a/a_test.go": benchmark("a", "X")})
	p.commit(t)
	p.write(t, map[string]string{"go.mod": "module example.com/m/v2\n\ngo 1.26\n", "a/a.go": worker("a", 20)})
	r := p.bench(t, append(shortly, "-vs", "HEAD", "-json", "./...")...).want(t, statusOK).report(t)
	if x := row(t, r.Comparison, "sec/op", "X"); x.Deltas[1].N != 6 || x.Package != "example.com/m/v2/a" {
		t.Errorf("%+v", x)
	}
	c := p.bench(t, r.Versions[0].File, r.Versions[1].File, "-json").want(t, statusOK).report(t).Comparison
	if x := row(t, c, "sec/op", "X"); x.Deltas[1].N != 6 {
		t.Errorf("in the files: %+v", x)
	}
	p.clean(t)
}

func TestAPackageThatDoesNotBuildHurtsNoOther(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"a/a.go": worker("a", 10), "a/a_test.go": benchmark("a", "X"), "b/b.go": worker("b", 10), "b/b_test.go": benchmark("b", "Y")})
	p.commit(t)
	p.write(t, map[string]string{"a/a.go": "package a\n\nfunc work() { undefined() }\n", "b/b.go": worker("b", 20)})
	c := p.bench(t, append(shortly, "-vs", "HEAD", "-json", "./...")...).want(t, statusUnmeasured, "example.com/m/a failed").report(t).Comparison
	if x := row(t, c, "sec/op", "Y"); x.Deltas[1].N != 6 || len(c.Failures) != 1 || !strings.Contains(c.Failures[0].Reason, "undefined: undefined") {
		t.Errorf("%+v, failures %+v", x, c.Failures)
	}
	p.clean(t)
}

func TestWhatIsIdenticalIsNotMeasured(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"a/a.go": worker("a", 10), "a/a_test.go": benchmark("a", "X"), "b/b.go": worker("b", 10), "b/b_test.go": benchmark("b", "Y"), "b/testdata/d/x": "1"})
	p.commit(t)
	p.write(t, map[string]string{"a/a.go": "// Package a has a comment now.\n" + worker("a", 10)})
	p.bench(t, append(shortly, "-vs", "HEAD", "-bench", "Nothing", "./...")...).want(t, statusUnmeasured, "no benchmark matches")
	r := p.bench(t, append(shortly, "-vs", "HEAD", "-json", "-fail-on", "ns/op:+5%", "./b")...).want(t, statusOK, "Identical, not measured").report(t)
	if len(r.Identical) != 1 || len(r.Rounds) != 0 || len(r.Comparison.Tables) != 0 {
		t.Errorf("%+v", r)
	}
	p.bench(t, append(shortly, "-vs", "HEAD", "./b")...).want(t, statusOK, "Identical, not measured")
	p.write(t, map[string]string{"b/testdata/d/x": "2"})
	r = p.bench(t, append(shortly, "-vs", "HEAD", "-json", "./...")...).want(t, statusOK).report(t)
	if x := row(t, r.Comparison, "sec/op", "Y"); x.Deltas[1].N != 6 {
		t.Errorf("other testdata: %+v", x)
	}
	if files := p.files(".threadcall-bench/*.txt"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
	p.clean(t)
}

func TestLayoutsAreLinkedAndAnalysedTogether(t *testing.T) {
	t.Parallel()
	p := repository(t)
	p.bench(t, "-vs", "old", "-layouts", "5").want(t, statusUsage, "-layouts must be at least 6")
	p.bench(t, "-vs", "old", "-count", "10", "-layouts", "11").want(t, statusUsage, "at most the number of rounds, 10")
	r := p.bench(t, "-vs", "old", "-benchtime", "20x", "-count", "12", "-layouts", "6", "-bench", "Same|Metric", "-json").want(t, statusOK).report(t)
	d := row(t, r.Comparison, "sec/op", "Same").Deltas[1]
	if d.N != 6 || d.Layout == nil || d.Layout.N != 6 || len(row(t, r.Comparison, "sec/op", "Same").Cells[1].Samples) != 12 {
		t.Errorf("%+v", d)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	p.bench(t, r.Versions[0].File, r.Versions[1].File, "-html", page).want(t, statusOK, "6 layouts move old by ", "; change ")
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "6 layouts move old by ") {
		t.Errorf("the page does not report the layouts: %v", err)
	}
	p.bench(t, r.Versions[0].File, r.Versions[1].File, "-md", "-").want(t, statusOK, "6 layouts move old by ")
	c := p.bench(t, r.Versions[0].File, r.Versions[1].File, "-json").want(t, statusOK).report(t).Comparison
	if again := row(t, c, "sec/op", "Same").Deltas[1]; again.Estimate != d.Estimate || again.N != 6 {
		t.Errorf("in the files: %+v", again)
	}
	p.clean(t)
}
