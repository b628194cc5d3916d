// Package examples_test runs the examples, those with windows on a screen in memory, and checks what they do, not how fast.
package examples_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var examples = []struct {
	name   string // its directory
	args   []string
	part   string // what .ci/setup installs for it
	screen bool
}{
	{name: "egl", part: "egl"},
	{name: "netns", args: []string{"-namespaces", "10"}},
	{name: "ptrace"},
	{name: "python", part: "python"},
	{name: "sdl", args: []string{"-driver", "dummy"}, part: "sdl"},
	{name: "sdl", args: []string{"-driver", "x11"}, part: "sdl", screen: true},
	{name: "fyne", part: "gui", screen: true},
	{name: "ebitengine", args: []string{"-mode", "threads"}, part: "gui", screen: true},
	{name: "ebitengine", args: []string{"-mode", "single"}, part: "gui", screen: true},
	{name: "ebitengine", args: []string{"-mode", "on-demand"}, part: "gui", screen: true},
}

// Each example ends with lines that say so, and how many calls it has checked.
var checked = regexp.MustCompile(`(?m)^.*: ([1-9][0-9]*) (calls|ticks), 0 of them wrong$`)

func TestExamples(t *testing.T) {
	bin, home := t.TempDir(), t.TempDir()
	for _, e := range examples {
		t.Run(strings.Join(append([]string{e.name}, e.args...), " "), func(t *testing.T) {
			if e.part != "" {
				need(t, e.part)
			}
			program := build(t, bin, e.name)
			cmd := exec.Command(program, e.args...)
			if e.screen {
				cmd = exec.Command("xvfb-run", append([]string{"-a", "-s", "-screen 0 1024x768x24", program}, e.args...)...)
			}
			cmd.Env = append(os.Environ(), "WAYLAND_DISPLAY=", "HOME="+home, "XDG_CONFIG_HOME="+home) // where Fyne keeps preferences
			cmd.Args = append(cmd.Args, "-rounds", "1", "-round", "50ms")
			var out, log bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &log
			err := cmd.Run()
			t.Logf("%s%s", &out, &log)
			if strings.Contains(log.String(), "operation not permitted") || strings.Contains(log.String(), "read-only file system") {
				t.Skip("NOT TESTED: ", log.String()) // says what it needs
			}
			if err != nil {
				t.Fatal(err)
			}
			if !checked.Match(out.Bytes()) {
				t.Errorf("no line matches %s", checked)
			}
			if strings.Contains(log.String(), "Error in Fyne call thread") {
				t.Error("Fyne reports that a widget was touched off the main goroutine")
			}
		})
	}
}

// need skips the test if a part of .ci/setup is missing and cannot be installed.
func need(t *testing.T, part string) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: only on Linux")
	}
	if out, err := exec.Command("../.ci/setup", part).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: %v: %s", err, bytes.TrimSpace(out))
	}
}

// build compiles an example and returns the program.
func build(t *testing.T, bin, name string) string {
	program := filepath.Join(bin, name)
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir = name
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}
