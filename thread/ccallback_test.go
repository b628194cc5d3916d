package thread_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Tests cannot use cgo themselves, so this one builds a program that does.
func TestCall_runsInPlaceInACallbackOfC(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a C compiler")
	}
	enabled, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if err != nil || strings.TrimSpace(string(enabled)) != "1" {
		t.Skip("no cgo here")
	}
	program := filepath.Join(t.TempDir(), "ccallback")
	if out, err := exec.Command("go", "build", "-o", program,
		"./testdata/ccallback").CombinedOutput(); err != nil {
		t.Skipf("it does not build here: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, program).CombinedOutput()
	want := `nested: true true true
posted
cycle: true
panic: boom
lives on: true
`
	if err != nil || string(out) != want {
		t.Errorf("error %v, output\n%s\nwant\n%s", err, out, want)
	}
}
