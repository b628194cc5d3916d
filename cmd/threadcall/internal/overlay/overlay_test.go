package overlay

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTesting(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	goroot, dir := strings.TrimSpace(string(out)), t.TempDir()
	sources := fstest.MapFS{"testdata/x.go.txt": {Data: []byte("package testing\n")}}
	name, err := Testing(goroot, dir, sources)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Replace) != 2 {
		t.Fatalf("%v in %s", err, text)
	}
	for old, by := range file.Replace {
		changed, err := os.ReadFile(by)
		if err != nil || filepath.Dir(old) != filepath.Join(goroot, "src", "testing") {
			t.Errorf("%s by %s: %v", old, by, err)
		}
		was, err := os.ReadFile(old)
		if err == nil && bytes.Count(was, []byte("\n")) != bytes.Count(changed, []byte("\n")) {
			t.Errorf("%s has another number of lines", old)
		}
	}
}

func TestTesting_unknownVersion(t *testing.T) {
	goroot := t.TempDir()
	testing := filepath.Join(goroot, "src", "testing")
	if err := os.MkdirAll(testing, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(testing, "benchmark.go")
	if err := os.WriteFile(file, []byte("package testing\n\ntype B struct {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Testing(goroot, t.TempDir(), nil); err == nil ||
		!strings.Contains(err.Error(), "this version of package testing is not known") {
		t.Error(err)
	}
}
