// Package examples_test runs the examples on a screen in memory.
package examples_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestExamples(t *testing.T) {
	if _, err := exec.LookPath("xvfb-run"); err != nil {
		t.Skip("NOT TESTED: xvfb-run is missing (Debian package xvfb; make gui installs it)")
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Setenv("HOME", t.TempDir()) // where Fyne keeps preferences
	t.Setenv("XDG_CONFIG_HOME", os.Getenv("HOME"))
	t.Setenv("WAYLAND_DISPLAY", "")
	for _, example := range []struct {
		args []string
		name string // at the begin of its report
	}{
		{[]string{"fyne"}, "fyne"},
		{[]string{"ebitengine", "-mode", "threads"}, "ebitengine, threads"},
		{[]string{"ebitengine", "-mode", "single"}, "ebitengine, single"},
		{[]string{"ebitengine", "-mode", "on-demand"}, "ebitengine, on-demand"},
	} {
		t.Run(strings.Join(example.args, " "), func(t *testing.T) {
			var out, log bytes.Buffer
			cmd := exec.Command("xvfb-run", "-a", "-s", "-screen 0 1024x768x24", filepath.Join(bin, example.args[0]))
			cmd.Args = append(append(cmd.Args, example.args[1:]...), "-run-for", "3s")
			cmd.Stdout, cmd.Stderr = &out, &log
			err := cmd.Run()
			t.Logf("%s%s", &out, &log)
			if err != nil {
				t.Fatal(err)
			}
			var calls, onMain int
			if _, err := fmt.Sscanf(out.String(), example.name+": %d calls, %d of them on the main thread", &calls, &onMain); err != nil {
				t.Fatal(err)
			}
			if calls == 0 || onMain != calls {
				t.Errorf("%d calls, %d of them on the main thread; want all", calls, onMain)
			}
			if strings.Contains(log.String(), "Error in Fyne call thread") {
				t.Error("Fyne reports that a widget was touched off the main goroutine")
			}
		})
	}
}
