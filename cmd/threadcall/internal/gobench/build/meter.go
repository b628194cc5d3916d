package build

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
)

//go:embed testdata/*.go.txt
var added embed.FS

// meter writes an overlay of package testing for the flag -overlay of the go command into dir, and
// returns its name. It is for the Go version with this GOROOT.
//
// With it, the methods of testing.B that start, stop and reset the timer read the CPU time of the
// process, too: user and system time of all its threads, that of the garbage collector included,
// for exactly the time that ns/op measures. A benchmark then reports cpu-ns/op next to ns/op.
//
// On Linux, it reports also how many threads ran or were ready to run, on average, while the
// benchmark function ran; those that hardly ran do not count. It separates waiting from waiting for
// a CPU: about 1 for a computation in one goroutine, however many other processes there are, and
// about 2 if it uses two CPUs.
func meter(goroot, dir string) (string, error) {
	testing := filepath.Join(goroot, "src", "testing")
	file := filepath.Join(testing, "benchmark.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	changed, err := instrument(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	replace := map[string]string{file: filepath.Join(dir, "benchmark.go")}
	if err := os.WriteFile(replace[file], changed, 0o666); err != nil {
		return "", err
	}
	for _, name := range sources() {
		text, err := added.ReadFile("testdata/" + name + ".go.txt")
		if err != nil {
			return "", err
		}
		file := filepath.Join(testing, "zz_threadcall_"+name+".go")
		replace[file] = filepath.Join(dir, name+".go")
		if err := os.WriteFile(replace[file], text, 0o666); err != nil {
			return "", err
		}
	}
	return overlay.Write(filepath.Join(dir, "overlay.json"), replace)
}

// sources are the files that read the clocks of this system.
func sources() []string {
	switch runtime.GOOS {
	case "linux":
		return []string{"meter", "clock_unix", "ready_linux"}
	case "windows":
		return []string{"meter", "clock_windows", "ready_other"}
	case "plan9", "js", "wasip1":
		return []string{"meter", "clock_other", "ready_other"}
	}
	return []string{"meter", "clock_unix", "ready_other"}
}

// instrument returns benchmark.go with calls of the meter. No line gets another number. It is an
// error if package testing is not as in Go 1.24 to 1.26 there.
func instrument(text []byte) ([]byte, error) {
	const loop = "\n\tb.StartTimer()\n\tb.benchFunc(b)\n\tb.StopTimer()"
	for _, e := range []struct {
		at, call string
		times    int
	}{
		{"type B struct {", "type B struct { threadcall threadcallMeter;", 1},
		{"b.start = ", "b.threadcall.start(); b.start = ", 2}, // StartTimer, ResetTimer
		{"b.duration += ", "b.threadcall.stop(); b.duration += ", 1},
		{"b.duration = 0", "b.duration = 0; b.threadcall.reset()", 1},
		{"b.ResetTimer()" + loop, "b.threadcall.begin(); b.ResetTimer()" + loop +
			"; b.threadcall.end()", 1},
		{"b.result = ", "b.threadcall.report(b); b.result = ", 1},
	} {
		if bytes.Count(text, []byte(e.at)) != e.times {
			return nil, errors.New("this version of package testing is not known")
		}
		text = bytes.ReplaceAll(text, []byte(e.at), []byte(e.call))
	}
	return text, nil
}
