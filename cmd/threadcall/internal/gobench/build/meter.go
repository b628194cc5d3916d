package build

import (
	"embed"
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
	sources := map[string][]byte{}
	for _, name := range clocks() {
		text, err := added.ReadFile("testdata/" + name + ".go.txt")
		if err != nil {
			return "", err
		}
		sources[name+".go"] = text
	}
	return overlay.Testing(goroot, dir, sources)
}

// clocks are the files that read the clocks of this system.
func clocks() []string {
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
