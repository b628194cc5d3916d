package gotest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	var o output
	fmt.Fprint(&o, "BenchmarkA \t")
	for range 4 * most / 1000 {
		fmt.Fprintf(&o, "%999d\n", 0)
	}
	fmt.Fprint(&o, " 10\t 5.0 ns/op\n")
	text := o.String()
	if !strings.HasPrefix(text, "BenchmarkA \t") || !strings.HasSuffix(text, " 10\t 5.0 ns/op\n") ||
		len(text) > 3*most+1100 {
		t.Errorf("%q … %q, %d bytes", text[:20], text[len(text)-20:], len(text))
	}
}

func TestDecisive(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"goos: linux\n--- FAIL: BenchmarkX\n    x_test.go:12: wrong\nFAIL\nexit status 1\n",
			"x_test.go:12: wrong"},
		{"said before\npanic: oh [recovered]\n\ngoroutine 7 [running]:\np.F(0x1)\n\t/p/x.go:3 " +
			"+0x1d\nmain.main()\n\t_testmain.go:45 +0x1\n",
			"panic: oh [recovered]\nat /p/x.go:3"},
		{"a\nb\nc\n", "b\nc"},
		{"PASS\n", ""},
	} {
		if got := Decisive(c.output, 2); got != c.want {
			t.Errorf("%q: %q, want %q", c.output, got, c.want)
		}
	}
}

func TestPattern_For(t *testing.T) {
	for pattern, want := range map[string][2]string{ // of BenchmarkSubs and BenchmarkPrints
		"":                          {"^BenchmarkSubs$", "^BenchmarkPrints$"},
		"Subs/a|Prints":             {"^BenchmarkSubs$/a", "^BenchmarkPrints$"},
		"Subs/(a|d)$/1|Print":       {"^BenchmarkSubs$/(a|d)$/1", "^BenchmarkPrints$"},
		"ubs/x|Subs/[|/]|^Subs":     {"^BenchmarkSubs$/x|^BenchmarkSubs$/[|/]", ""},
		`Subs/a\/b|^BenchmarkPrint`: {`^BenchmarkSubs$/a\/b`, "^BenchmarkPrints$"},
	} {
		p, err := ParsePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"BenchmarkSubs", "BenchmarkPrints"} {
			if got, ok := p.For(name); got != want[i] || ok != (want[i] != "") {
				t.Errorf("%s: %q, %v of %s, want %q", pattern, got, ok, name, want[i])
			}
		}
	}
}

func TestScratch(t *testing.T) {
	parent := t.TempDir()
	t.Setenv("GOTMPDIR", parent)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	left := map[string]string{"killed": strconv.Itoa(ended.Process.Pid),
		"alive": strconv.Itoa(os.Getpid()), "unknown": ""}
	for name, pid := range left {
		dir := filepath.Join(parent, ScratchPrefix+name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, owner), []byte(pid), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	for name := range left {
		if _, err := os.Stat(filepath.Join(parent,
			ScratchPrefix+name)); (err == nil) != (name != "killed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	calls := 0
	s.BeforeRemove(func() { calls++ })
	removeScratches()
	if _, err := os.Stat(s.Dir); err == nil || calls == 0 {
		t.Errorf("after it was removed: %v, %d calls before", err, calls)
	}
	if err := s.Remove(); err != nil {
		t.Errorf("again: %v", err)
	}
}
