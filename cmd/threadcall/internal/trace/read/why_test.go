package read

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A new reason of the runtime would be reported as unknown.
func TestReasonsOfTheRuntimeAreKnown(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("needs the go command: ", err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "runtime", "traceruntime.go"))
	if err != nil {
		t.Skip("the source of the runtime is not here: ", err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`\n\ttraceBlock\w+: +"([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		n++
		if reason := m[1]; reason != "unspecified" && whyWaited(reason) == unknown {
			t.Errorf("%q is not known", reason)
		}
	}
	for _, m := range regexp.MustCompile(`\n\ttraceGoStop\w+: +"([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		n++
		if reason := m[1]; reason != "unspecified" && whyStopped(reason) == unknown {
			t.Errorf("%q is not known", reason)
		}
	}
	if n < 10 {
		t.Errorf("found only %d reasons: the source looks different now", n)
	}
}
