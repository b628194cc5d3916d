package mainthread_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

// In a plugin, package mainthread does not take the thread of plugin.Open for the main thread, but
// shares the package of a program that imports it.
func TestInit_inAPlugin(t *testing.T) {
	switch runtime.GOOS {
	case "linux", "darwin", "freebsd":
	default:
		t.Skip("no plugins here")
	}
	dir := needCgo(t)
	library, alone, sharing := filepath.Join(dir, "plugin.so"), filepath.Join(dir, "alone"),
		filepath.Join(dir, "sharing")
	execute(t, "go", "build", "-buildmode=plugin", "-o", library, "./testdata/plugin")
	execute(t, "go", "build", "-o", alone, "./testdata/alone")
	execute(t, "go", "build", "-o", sharing, "./testdata/sharing")
	const absent = "on: false call: false go: false another thread: true\n" +
		"init: mainthread: Init in a plugin; " +
		"import package mainthread in the program that opens it, too, and call Init there\n"
	for _, c := range []struct{ program, opens, want string }{
		{alone, "main", absent},
		{alone, "another", absent},
		{sharing, "main", "on: true call: true go: true another thread: true\nruns: true\ninit: <nil>\n"},
	} {
		if out := execute(t, c.program, library, c.opens); out != c.want {
			t.Errorf("%s, opened on the %s goroutine:\n%swant\n%s", filepath.Base(c.program), c.opens, out,
				c.want)
		}
	}
}

// In a library for C programs calls return false, also if another build system than go build has
// made it, and it has no build information.
func TestInit_inALibraryWithoutBuildInformation(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("its calls wait here until the runtime has ended the main goroutine")
	}
	dir := needCgo(t)
	t.Cleanup(func() { os.Remove(".h") }) // which go list writes for the library
	packages := execute(t, "go", "list", "-buildmode=c-shared", "-export", "-deps",
		"-f={{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "./testdata/library")
	lines := strings.Split(strings.TrimSpace(packages), "\n")
	_, main, _ := strings.Cut(lines[len(lines)-1], "=")
	config, library, host := filepath.Join(dir, "packages"), filepath.Join(dir, "library.so"),
		filepath.Join(dir, "host")
	if err := os.WriteFile(config, []byte(packages), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, "go", "tool", "link", "-buildmode=c-shared", "-importcfg="+config, "-extld=gcc",
		"-o", library, main)
	execute(t, "gcc", "-o", host, "testdata/host.c", library)
	const want = "information: false on: false call: false go: false\n" +
		"init: mainthread: Init in a C library, whose main function does not run; " +
		"call thread.Adopt in an exported function, on the thread of the host\n"
	if out := execute(t, host); out != want {
		t.Errorf("%swant\n%s", out, want)
	}
}

// needCgo skips the test where there is no C compiler, and returns an empty folder.
func needCgo(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes a C compiler")
	}
	enabled, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if _, missing := exec.LookPath("gcc"); missing != nil || err != nil ||
		strings.TrimSpace(string(enabled)) != "1" || os.Getenv(testutil.Emulator) != "" {
		t.Skip("NOT TESTED: there is no cgo here")
	}
	return t.TempDir()
}

// execute runs a program and returns what it has written.
func execute(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}
