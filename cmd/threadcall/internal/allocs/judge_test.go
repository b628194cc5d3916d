package allocs

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestBudgetAgainstAllocsPerRun has testing.AllocsPerRun as the judge of some forty functions that promise not to
// allocate. The benchmarks call them with small arguments, the judge with the worst.
func TestBudgetAgainstAllocsPerRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package several times")
	}
	t.Setenv("JUDGED_PANICS", "1")
	r := runFixture(t, func(s *Settings) {
		s.Dir, s.Bench, s.Budget, s.Procs = "testdata/judged", ".", true, 2
	})
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestJudge$", "-v", ".")
	cmd.Dir = "testdata/judged"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	allocates := map[string]bool{}
	for _, m := range regexp.MustCompile(`JUDGE (\w+) (\d+)`).FindAllStringSubmatch(string(out), -1) {
		allocates[m[1]] = m[2] != "0"
	}
	if len(allocates) < 40 || len(allocates) != len(r.Budget.Functions) {
		t.Fatalf("%d functions were judged, %d have promised", len(allocates), len(r.Budget.Functions))
	}
	both := map[bool]int{}
	for _, f := range r.Budget.Functions {
		both[allocates[f.Name]]++
		switch {
		case !f.Reached:
			t.Errorf("%s: never run", f.Name)
		case allocates[f.Name] && len(f.Broken) == 0:
			t.Errorf("%s allocates, and passes: %+v", f.Name, f)
		case !allocates[f.Name] && !f.Kept():
			t.Errorf("%s does not allocate, and fails: %+v", f.Name, f)
		}
	}
	if both[true] < 20 || both[false] < 20 {
		t.Errorf("%v", both)
	}
	if len(r.Failures) != 1 || r.Failures[0].Name != "BenchmarkPanics" {
		t.Errorf("failures %+v", r.Failures)
	}
}
