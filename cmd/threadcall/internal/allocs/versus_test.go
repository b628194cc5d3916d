package allocs

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

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

// versusNew moves all lines.
var versusNew = strings.NewReplacer("package p\n", "package p\n\n// A comment.", "make([]int, n)",
	"make([]int, 2*n)", "a + b", `"constant"`).Replace(versusOld)

func TestSettings_Versus(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	outsideWorkspace(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n",
		"p.go": versusOld, "p_test.go": versusTest})
	for _, args := range []string{"init -q", "add .",
		"-c user.name=t -c user.email=t@x -c commit.gpgsign=false commit -q -m a|commit"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	s := settings(dir)
	writeFiles(t, dir, map[string]string{"p.go": versusNew})
	c, err := s.Versus(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Benchmarks) != 2 || c.Benchmarks[1].Changed() || len(c.Benchmarks[0].Places) != 2 {
		t.Fatalf("%+v", c)
	}
	more, gone := c.Benchmarks[0].Places[0], c.Benchmarks[0].Places[1]
	if more.Change != (heap.Amount{Bytes: 16 * 8}) || more.New.Where.Line != 9 ||
		more.Old.Where.Line != 8 {
		t.Errorf("%+v", more)
	}
	if gone.New != nil || gone.Change != (heap.Amount{Objects: -1, Bytes: -24}) ||
		gone.Old.Where.File != filepath.Join(dir, "p.go") {
		t.Errorf("%+v", gone)
	}
	contains(t, printed(t, dir, func(text Text) { text.Comparison(c) }),
		"152 → 256 B/op, 2 → 1 allocs/op.", "     +128         0  p.go:9 p.grow",
		"      −24        −1  p.go:10 p.joined", "string: no longer: a + b escapes to heap",
		"No change\nBenchmarkSame")
	contains(t, printed(t, dir, func(text Text) { text.Markdown(c) }),
		`a\|commit`, "| `BenchmarkGrow` | 152 → 256 | 2 → 1 |\n", "No change in 1 other benchmark.\n",
		"| +128 | 0 | `p.go:9 p.grow` | make: ")
}
