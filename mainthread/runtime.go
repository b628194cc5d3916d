package mainthread

// What the runtime does not offer, and the package derives from what it does: the main thread for
// itself, the end of the main goroutine, and the callers of a function. A function of the runtime
// that takes the main thread (golang.org/issue/70089) would replace this.

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

// The main goroutine initialises package variables. It is on the main thread until all init
// functions have returned; Adopt keeps it there.
var main, end = adopt()

func adopt() (*thread.Thread, func()) {
	t, end := access.Adopt()
	return t.(*thread.Thread), end
}

// library is true in a library for C programs. The runtime runs its init functions, and nothing
// else, on a goroutine with a thread that is not the host's, and so the package does not keep it.
var library = inLibrary()

func inLibrary() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-buildmode" && (s.Value == "c-shared" || s.Value == "c-archive")
	})
}

func init() {
	if library {
		end()
	}
}

// exiting reports to a deferred call whether it runs because of Goexit, and not because of a panic.
func exiting() bool { return calledBy("runtime.Goexit", "runtime.gopanic") == "runtime.Goexit" }

// inTests reports whether the process runs tests: their flags are defined, and testing.M.Run has
// parsed them. testing.Testing would need package testing.
func inTests() bool { return flag.Parsed() && flag.Lookup("test.v") != nil }

// calledBy returns which of some functions is the innermost that has called the caller, directly or
// not, or "".
func calledBy(functions ...string) string {
	pcs := make([]uintptr, 64)
	for n := 0; ; pcs = make([]uintptr, 2*len(pcs)) {
		if n = runtime.Callers(2, pcs); n < len(pcs) {
			pcs = pcs[:n]
			break
		}
	}
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if slices.Contains(functions, f.Function) {
			return f.Function
		}
		if !more {
			return ""
		}
	}
}

// exitAfterMain ends the process when the main goroutine has run its deferred calls. Returning from
// main would have ended it, but a goroutine in which Goexit was called does not get there.
func exitAfterMain() {
	stacks := make([]byte, 1<<20)
	for strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "goroutine 1 [") {
		time.Sleep(time.Millisecond)
	}
	os.Exit(0)
}
