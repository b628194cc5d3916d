package rounds

import (
	"os/exec"
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
	for _, pattern := range []string{"", "(", "A/[", "A|*"} {
		if p, err := ParsePattern(pattern); err == nil {
			t.Errorf("%q: %v", pattern, p)
		}
	}
}

// What the patterns of all top-level benchmarks mean together is what go test makes of the pattern.
func TestTogetherThePatternsMeanTheSameBenchmarks(t *testing.T) {
	binary := behaviours(t)
	run := func(pattern string) (names []string) {
		out, _ := exec.Command(binary.Path, "-test.run=^$", "-test.benchtime=1x", "-test.bench="+pattern,
			"-test.skip=Exits|Hangs|Panics|Missing|BenchmarkSubs/size").Output()
		lines, _ := parse(string(out))
		for _, l := range lines {
			names = append(names, l.Result.Name.String())
		}
		return names
	}
	for _, c := range []struct {
		pattern string
		least   int
	}{{".", 6}, {"Subs", 2}, {"Subs/d", 1}, {"Subs/a|Prints", 4}, {"Subs/(a|d)$|Metadata", 3}, {"Subs/d/1", 1}, {"Subs/d/x", 0}, {"nothing", 0}} {
		want := run(c.pattern)
		if len(want) < c.least {
			t.Errorf("%s: go test runs only %q", c.pattern, want)
		}
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		names, err := binary.Benchmarks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range names {
			if one, ok := p.For(name); ok {
				got = append(got, run(one)...)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, go test runs %q", c.pattern, got, want)
		}
	}
}
