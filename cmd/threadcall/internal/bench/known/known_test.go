package known

import (
	"os/exec"
	"strings"
	"testing"
)

// repository makes a repository that the test ends with, and returns its directory. Without git or the go command the
// test is skipped.
func repository(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	t.Setenv("GOWORK", "off") // or go would want the module in the workspace that the test runs in
	dir := t.TempDir()
	if err := WriteRepository(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBothRevisionsHaveTheirBenchmarks(t *testing.T) {
	dir := repository(t)
	for _, rev := range []string{"HEAD", Old} {
		if err := git(dir, "checkout", "-q", rev); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "test", "-run", "^$", "-bench", "Allocates|Metric|Twin", "-benchtime", "10000x", "-benchmem") // the process allocates, too
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
	dir := repository(t)
	for name, want := range map[string]string{"Panics": "panic: it always does", "Fails": "--- FAIL: BenchmarkFails"} {
		cmd := exec.Command("go", "test", "-run", "^$", "-bench", name)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v:\n%s", name, err, out)
		}
	}
}
