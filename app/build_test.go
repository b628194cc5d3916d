package app_test

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The go command names what is missing when it compiles the program without cgo.
func TestBuild_without_compiler(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	build := exec.Command("go", "build", "-o", os.DevNull, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "app/internal/needs_a_C_compiler: build constraints exclude all Go files") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Without headers, the C compiler reports those of X11 and of Wayland, or those that a build tag leaves.
func TestBuild_without_headers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the headers are those of Linux")
	}
	file, err := os.ReadFile("internal/needs_a_C_compiler/headers_linux.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(file), "/*\n")
	text, _, _ = strings.Cut(text, "*/")
	text = regexp.MustCompile(`(?m)^#cgo.*$`).ReplaceAllString(text, "")
	none := []string{"-nostdinc", "-I", t.TempDir()}
	for _, test := range []struct {
		args         []string
		x11, wayland bool // there is an error
	}{
		{nil, false, false},
		{none, true, true},
		{append(none, "-DNO_X11"), false, true},
		{append(none, "-DNO_WAYLAND"), true, false},
	} {
		cc := exec.Command("cc", append(test.args, "-E", "-x", "c", "-")...)
		cc.Stdin = strings.NewReader(text)
		out, err := cc.CombinedOutput()
		x11, wayland := strings.Contains(string(out), "headers of X11: apt install"), strings.Contains(string(out), "headers of Wayland, or -tags x11: apt install")
		if (err != nil) != (x11 || wayland) || x11 != test.x11 || wayland != test.wayland {
			t.Errorf("%q: %v\n%s", test.args, err, out)
		}
	}
}
