package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstrument(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/testing/benchmark.go"))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := instrument(text)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytes.Count(text, []byte("\n")), bytes.Count(changed, []byte("\n")); a != b {
		t.Errorf("%d lines, %d before", b, a)
	}
	// Another version of package testing is refused.
	for _, part := range []string{"b.start = ", "b.duration += ", "b.duration = 0", "B struct",
		"b.result = ", "b.ResetTimer()"} {
		if _, err := instrument(bytes.ReplaceAll(text, []byte(part), nil)); err == nil {
			t.Errorf("without %q: accepted", part)
		}
	}
}
