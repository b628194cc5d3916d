package allocs

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

// write writes files into a directory.
func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	versusOld = `package p

var (
	sink []int
	text string
)

func grow(n int) { sink = make([]int, n) }

func joined(a, b string) { text = a + b }

func same(n int) { sink = make([]int, n, 64) }
`
	versusNew = `package p

// A comment moves all lines.
var (
	sink []int
	text string
)

func grow(n int) { sink = make([]int, 2*n) }

func joined(a, b string) { text = "constant" }

func same(n int) { sink = make([]int, n, 64) }
`
	versusTest = `package p

import "testing"

func BenchmarkGrow(b *testing.B) {
	for b.Loop() {
		grow(16)
		joined("0123456789", "0123456789")
	}
}

func BenchmarkSame(b *testing.B) {
	for b.Loop() {
		same(16)
	}
}
`
)

func TestAChangeIsReportedByPlace(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	outsideWorkspace(t)
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": versusOld, "p_test.go": versusTest})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "a | commit"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	s := fixtureSettings()
	s.Dir, s.Bench = dir, "."
	if _, err := s.Versus(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), "nothing differs") {
		t.Error(err)
	}
	write(t, dir, map[string]string{"p.go": versusNew})
	c, err := s.Versus(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Benchmarks) != 2 || c.Benchmarks[1].Changed() || len(c.Benchmarks[0].Places) != 2 {
		t.Fatalf("%+v", c)
	}
	grow := c.Benchmarks[0]
	if grow.Old.Bytes.Median != 16*8+24 || grow.New.Bytes.Median != 32*8 || grow.Old.Allocs.Median != 2 || grow.New.Allocs.Median != 1 {
		t.Errorf("%+v to %+v", grow.Old, grow.New)
	}
	more, gone := grow.Places[0], grow.Places[1]
	if more.Change != (heap.Amount{Bytes: 16 * 8}) || more.Old == nil || more.New == nil || more.New.Where.Line != 9 || more.Old.Where.Line != 8 {
		t.Errorf("%+v", more)
	}
	if gone.New != nil || gone.Change != (heap.Amount{Objects: -1, Bytes: -24}) || gone.Old.Where.File != filepath.Join(realPath(t, dir), "p.go") {
		t.Errorf("%+v", gone)
	}
	out := printed(t, func(text Text) { text.Dir = realPath(t, dir); text.Comparison(c) })
	for _, want := range []string{"152 → 256 B/op, 2 → 1 allocs/op.", "     +128         0  p.go:9 p.grow", "      −24        −1  p.go:10 p.joined",
		"string: no longer: a + b escapes to heap", "No change\nBenchmarkSame"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	var b bytes.Buffer
	if err := c.Markdown(&b, realPath(t, dir)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`a \| commit`, "| `BenchmarkGrow` | 152 → 256 | 2 → 1 |\n", "No change in 1 other benchmark.\n", "| +128 | 0 | `p.go:9 p.grow` | make: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func realPath(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func TestPlacesArePairedByTheTextOfTheirLines(t *testing.T) {
	row := func(line int, text string) Row {
		r := Row{Kind: "new", Source: []Line{{line, text}}}
		r.Where.Function, r.Where.Line = "p.f", line
		return r
	}
	was := []Row{row(1, "a := new(A)"), row(2, "b := new(B)"), row(3, "c := new(C)")}
	now := []Row{row(2, "b := new(B)"), row(5, "\ta := new(A)"), row(7, "x := new(C)")}
	got := map[int]int{}
	for _, s := range pairs(was, now) {
		if s.Old == nil || s.New == nil {
			t.Fatalf("%+v", s)
		}
		got[s.Old.Where.Line] = s.New.Where.Line
	}
	if got[1] != 5 || got[2] != 2 || got[3] != 7 {
		t.Error(got)
	}
}
