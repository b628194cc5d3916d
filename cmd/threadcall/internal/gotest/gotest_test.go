package gotest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/report"
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

// The other cases are those of package measure's TestRun.
func TestDecisive(t *testing.T) {
	if got := Decisive("a\nb\nc\n", 2); got != "b\nc" {
		t.Errorf("%q", got)
	}
}

func TestPatternFor(t *testing.T) {
	for pattern, want := range map[string][2]string{ // of BenchmarkSubs and BenchmarkPrints
		".":                         {"^BenchmarkSubs$", "^BenchmarkPrints$"},
		"Subs/a|Prints":             {"^BenchmarkSubs$/a", "^BenchmarkPrints$"},
		"Subs/(a|d)$/1|Print":       {"^BenchmarkSubs$/(a|d)$/1", "^BenchmarkPrints$"},
		"ubs/x|Subs/[|/]|^Subs":     {"^BenchmarkSubs$/x|^BenchmarkSubs$/[|/]", ""},
		`Subs/a\/b|^BenchmarkPrint`: {`^BenchmarkSubs$/a\/b`, "^BenchmarkPrints$"},
	} {
		if err := CheckPattern(pattern); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"BenchmarkSubs", "BenchmarkPrints"} {
			if got, ok := PatternFor(pattern, name); got != want[i] || ok != (want[i] != "") {
				t.Errorf("%s: %q, %v of %s, want %q", pattern, got, ok, name, want[i])
			}
		}
	}
}

func TestScratch(t *testing.T) {
	t.Setenv("GOTMPDIR", t.TempDir())
	s, err := NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	removeScratches()
	if _, err := os.Stat(s.Dir); err == nil {
		t.Error("it is there after all were removed")
	}
	if err := s.Remove(); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestPlainName(t *testing.T) {
	for _, c := range []struct{ env, cpus, name, want string }{
		{"", "", "X/n-2-1", "X/n-2-1"},
		{"", "1", "X/n-2", "X/n-2"},
		{"", "02, 1000", "X-2", "X"},
		{"", "02, 1000", "X/n-64-1000", "X/n-64"},
		{"1", "", "X/n-2", "X/n-2"},
		{"0", "", "X/n-1000000", "X/n-1000000"},
		{"1000", "", "X-1000", "X"},
		{"1000", "2", "X-1000", "X-1000"},
	} {
		t.Setenv("GOMAXPROCS", c.env)
		var cpus report.CPUs
		if err := cpus.Set(c.cpus); c.cpus != "" && err != nil {
			t.Fatal(err)
		}
		if got := PlainName(c.name, cpus); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Package testing may write a result of a benchmark that panics, and end with status 0.
func TestParseResults_cutShort(t *testing.T) {
	for text, want := range map[string]bool{
		"BenchmarkX-2 \t       1\t       0 B/op\t       0 allocs/op\n": true,
		"BenchmarkX-2 \t       1\n":                                    true,
		"BenchmarkX-2 \t       0\t         5.0 ns/op\n":                true,
		"BenchmarkX-2 \tit writes\n       1\t         5.0 ns/op\n":     false,
		"BenchmarkX-2 \t       1\t         5.0 ns/op\t 0 B/op\n":       false,
		"BenchmarkX-2 \t       1\t         5.0 frames/op\n":            false,
	} {
		if _, _, cutShort := ParseResults(text); cutShort != want {
			t.Errorf("%q: cut short is %t", text, cutShort)
		}
	}
}
