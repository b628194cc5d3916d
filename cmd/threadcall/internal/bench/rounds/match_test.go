package rounds

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/pattern"
)

// What the patterns of all top-level benchmarks mean together is what go test makes of the pattern.
func TestTogetherThePatternsMeanTheSameBenchmarks(t *testing.T) {
	binary := behaviours(t)
	run := func(which string) (names []string) {
		out, _ := exec.Command(binary.Path, "-test.run=^$", "-test.benchtime=1x", "-test.bench="+which,
			"-test.skip=Exits|Hangs|Deadlocks|Panics|Missing|BenchmarkSubs/size").Output()
		lines, _, _ := parse(string(out))
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
		p, err := pattern.Parse(c.pattern)
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
