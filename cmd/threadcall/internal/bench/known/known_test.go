package known

import (
	"os/exec"
	"strings"
	"testing"
)

func TestBothRevisionsHaveTheirBenchmarks(t *testing.T) {
	dir := Repository(t)
	for _, rev := range []string{"HEAD", Old} {
		if err := git(dir, "checkout", "-q", rev); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "test", "-run", "^$", "-bench", "Allocates|Metric|Twin", "-benchtime", "10x", "-benchmem")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		want := []string{"192 B/op", "3 allocs/op", "1100 work/op", "work=1100"}
		if rev == Old {
			want = []string{"128 B/op", "2 allocs/op", "1000 work/op", "work=1100"}
		}
		for _, w := range want {
			if err != nil || !strings.Contains(string(out), w) {
				t.Errorf("%s: no %q, %v:\n%s", rev, w, err, out)
			}
		}
	}
}

func TestWhatFailsFails(t *testing.T) {
	dir := Repository(t)
	for name, want := range map[string]string{"Panics": "panic: it always does", "Fails": "--- FAIL: BenchmarkFails"} {
		cmd := exec.Command("go", "test", "-run", "^$", "-bench", name)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v:\n%s", name, err, out)
		}
	}
}
