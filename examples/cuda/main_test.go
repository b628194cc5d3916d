//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// The program makes its calls on threads on which the context is current, and measures them. The
// driver of the test refuses all others.
func TestProgram_callsTheDriverOnTheThreadOfTheContext(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "libcuda.so.1")
	cc := exec.Command("cc", "-shared", "-fPIC", "-o", library, "testdata/driver.c")
	if out, err := cc.CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: no C compiler makes the driver of the test: %v\n%s", err, out)
	}
	output := program(t, "LD_LIBRARY_PATH="+dir)
	if !regexp.MustCompile(`(?m)^cuda: [1-9]\d* calls, 0 of them wrong$`).MatchString(output) ||
		regexp.MustCompile(`(?m)^\| 64 .* - \| .*- \|$`).MatchString(output) {
		t.Errorf("the program says\n%s", output)
	}
}

func TestProgram_endsWithoutADriver(t *testing.T) {
	if _, err := os.Stat("/dev/nvidia0"); err == nil {
		t.Skip("there is a driver")
	}
	none := regexp.MustCompile(`^cuda: no driver, nothing was measured: .*\n$`)
	if out := program(t); !none.MatchString(out) {
		t.Errorf("the program says\n%s", out)
	}
}

func program(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command("go", "run", ".", "-rounds", "1", "-for", "20ms")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
