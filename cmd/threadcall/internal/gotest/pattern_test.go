package gotest

import (
	"slices"
	"testing"
)

func TestAPatternMeansWhatItMeansToGoTest(t *testing.T) {
	names := []string{"BenchmarkA", "BenchmarkAB", "BenchmarkB"}
	for _, c := range []struct {
		pattern string
		want    []string // pattern for each of names; empty: not among them
	}{
		{".", []string{"^BenchmarkA$", "^BenchmarkAB$", "^BenchmarkB$"}},
		{"A$", []string{"^BenchmarkA$", "", ""}},
		{"^BenchmarkA/x=1", []string{"^BenchmarkA$/x=1", "^BenchmarkAB$/x=1", ""}},
		{"A$/x|B$/y/z", []string{"^BenchmarkA$/x", "^BenchmarkAB$/y/z", "^BenchmarkB$/y/z"}},
		{"A/x|AB/y", []string{"^BenchmarkA$/x", "^BenchmarkAB$/x|^BenchmarkAB$/y", ""}},
		{"(A|B)$", []string{"^BenchmarkA$", "^BenchmarkAB$", "^BenchmarkB$"}},
		{"A/[|/]", []string{"^BenchmarkA$/[|/]", "^BenchmarkAB$/[|/]", ""}},
		{`A/a\/b`, []string{`^BenchmarkA$/a\/b`, `^BenchmarkAB$/a\/b`, ""}},
		{"C", []string{"", "", ""}},
		{"", []string{"^BenchmarkA$", "^BenchmarkAB$", "^BenchmarkB$"}},
		{"A/", []string{"^BenchmarkA$/", "^BenchmarkAB$/", ""}},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		var got []string
		for _, name := range names {
			pattern, ok := p.For(name)
			if ok != (pattern != "") {
				t.Errorf("%s for %s: %q, %v", c.pattern, name, pattern, ok)
			}
			got = append(got, pattern)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.pattern, got, c.want)
		}
	}
}

func TestAPatternThatIsNoneIsRefused(t *testing.T) {
	for _, pattern := range []string{"(", "A/[", "A|*"} {
		if p, err := ParsePattern(pattern); err == nil {
			t.Errorf("%q: %v", pattern, p)
		}
	}
}
