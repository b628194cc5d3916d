package mainthread

// What the runtime does not offer, and the package derives from what it does: the main thread for
// itself, the end of the main goroutine, and the callers of a function. A function of the runtime
// that takes the main thread (golang.org/issue/70089) would replace this.

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/thread"
)

// The main goroutine initialises package variables. It is on the main thread until all init
// functions have returned; Adopt keeps it there, but for a host.
var loop, end = adopt()

var main = loop.Thread()

func adopt() (*thread.Loop, func()) {
	l, end := access.Adopt(host == "")
	return l.(*thread.Loop), end
}

// host is empty in a program. Otherwise it says what the package is in, and what to do there: the
// runtime initialises a plugin on the goroutine that opens it, and a library for C programs on a
// goroutine of its own, which does nothing else.
var host = findHost()

const (
	library = "a C library, whose main function does not run; " +
		"call thread.Adopt in an exported function, on the thread of the host"
	plugin = "a plugin; import package mainthread in the program that opens it, too, " +
		"and call Init there"
)

func findHost() string {
	if calledBy("plugin.Open") != "" {
		return plugin
	}
	onMain := !isLibrary(debug.ReadBuildInfo())
	if id := ident.MainThread(); id != 0 {
		onMain = ident.Thread() == id
	}
	if !onMain {
		return library
	}
	return ""
}

// isLibrary is false, too, in a library without build information.
func isLibrary(info *debug.BuildInfo, ok bool) bool {
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-buildmode" && (s.Value == "c-shared" || s.Value == "c-archive")
	})
}

// exiting reports to a deferred call whether it runs because of Goexit, and not because of a panic.
func exiting() bool { return calledBy("runtime.Goexit", "runtime.gopanic") == "runtime.Goexit" }

// inTests is testing.Testing without package testing.
func inTests() bool { return flag.Lookup("test.v") != nil }

// calledBy returns which of some functions is the innermost that has called the caller, or "". Few
// functions are in between.
func calledBy(functions ...string) string {
	pcs := make([]uintptr, 64)
	for frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)]); ; {
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
// main would have ended it, but a goroutine in which Goexit was called does not get there. Tests
// may have failed, so their program fails as well; others have nothing to do after Init as a rule.
func exitAfterMain() {
	stacks := make([]byte, 1<<20)
	for strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "\ngoroutine 1 ") {
		time.Sleep(time.Millisecond)
	}
	status, write := 0, "run(); os.Exit(code)"
	if inTests() {
		status, write = 2, "os.Exit(m.Run())"
	}
	fmt.Fprintf(os.Stderr, "threadcall: a function on the main thread has called runtime.Goexit, as "+
		"t.FailNow, t.Fatal and t.Skip do, so mainthread.Init has not returned, and what follows it "+
		"has not run; the process ends with status %d. If the status matters, write "+
		"mainthread.Init(func() { %s })\n", status, write)
	os.Exit(status)
}
