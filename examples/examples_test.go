// Package examples_test runs the examples, those with windows on a screen in memory and checks what
// they do.
package examples_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var examples = []struct {
	name   string // its directory
	args   []string
	part   string // what .ci/setup installs for it
	screen bool
	system string // what it is compiled for, if that is not this one
	noCgo  bool   // it is compiled without a C compiler
}{
	{name: "affinity", args: []string{"-n", "500"}},
	{name: "com", system: "windows"},
	{name: "egl", part: "egl"},
	{name: "gstreamer", part: "gstreamer", noCgo: true},
	{name: "netns", args: []string{"-namespaces", "10"}, part: "netns"},
	{name: "ptrace", part: "examples"},
	{name: "python", part: "python"},
	{name: "sdl", args: []string{"-driver", "dummy"}, part: "sdl"},
	{name: "sdl", args: []string{"-driver", "x11", "-d", stays}, part: "sdl", screen: true},
	{name: "sdl", args: []string{"-driver=dummy"}, part: "sdl3", noCgo: true},
	{name: "sdl", args: []string{"-driver=x11"}, part: "sdl3", screen: true, noCgo: true},
	{name: "fyne", args: []string{"-d", stays}, part: "gui", screen: true},
	{name: "ebitengine", args: []string{"-mode", "threads", "-d", stays}, part: "gui", screen: true},
	{name: "ebitengine", args: []string{"-mode", "single"}, part: "gui", screen: true},
	{name: "ebitengine", args: []string{"-mode", "on-demand"}, part: "gui", screen: true},
	{name: "tick"},
	{name: "webview", args: []string{"-d", stays}, part: "webview", screen: true},
}

// stays is for how long the windows of some stay open.
const stays = "3s"

// Each example ends with lines that say so, and how many calls, or the like, it has checked.
var checked = regexp.MustCompile(`(?m)^.*: ([1-9][0-9]*) (calls|ticks|sieves), 0 of them wrong$`)

func TestExamples(t *testing.T) {
	bin, home := t.TempDir(), t.TempDir()
	for _, e := range examples {
		t.Run(strings.Join(append([]string{e.name}, e.args...), " "), func(t *testing.T) {
			if e.part != "" {
				need(t, e.part)
			}
			program := build(t, bin, e.name, e.system, e.noCgo || e.system != "")
			// Fyne keeps preferences
			run, env := []string{program}, []string{"WAYLAND_DISPLAY=", "HOME=" + home,
				"XDG_CONFIG_HOME=" + home}
			switch {
			case e.system == "windows":
				needWine(t)
				run, env = []string{"../.ci/wine", "wine", "wine", program}, nil
			case e.screen:
				run = []string{"xvfb-run", "-a", "-s", "-screen 0 1024x768x24", program}
			}
			run = slices.Concat(run, e.args)
			cmd := exec.Command(run[0], run[1:]...)
			cmd.Env = append(os.Environ(), env...)
			// services that Wine starts would keep a pipe
			output := filepath.Join(t.TempDir(), "output")
			f, err := os.Create(output)
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdout, cmd.Stderr = f, f
			began := time.Now()
			err = errors.Join(cmd.Run(), f.Close())
			ran := time.Since(began)
			out, _ := os.ReadFile(output)
			t.Logf("%s", out)
			for _, refused := range []error{syscall.EPERM, syscall.EROFS} {
				if bytes.Contains(out, []byte(refused.Error())) {
					t.Skip("NOT TESTED: ", refused) // the line above has what it needs
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if !checked.Match(out) {
				t.Errorf("no line matches %s", checked)
			}
			if least, _ := time.ParseDuration(stays); slices.Contains(e.args, "-d") && ran < least {
				t.Errorf("it has ended after %v, although with -d it stays for %v", ran, least)
			}
			if bytes.Contains(out, []byte("Error in Fyne call thread")) {
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

// needWine skips the test if there is no Wine, which takes a while to install.
func needWine(t *testing.T) {
	if _, err := exec.LookPath("wine"); err != nil || runtime.GOARCH != "amd64" {
		t.Skip("NOT TESTED: Wine is missing, or this is not an amd64 machine; make ports " +
			"installs it")
	}
}

// build compiles an example and returns the program.
func build(t *testing.T, bin, name, system string, noCgo bool) string {
	program := filepath.Join(bin, name)
	if system == "windows" {
		program += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir = name
	cmd.Env = append(os.Environ(), "GOOS="+cmp.Or(system, runtime.GOOS))
	if noCgo {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}
