// Package recorder lets a program record an execution trace of itself when it is asked to from outside, as threadcall
// trace does. Two lines of it are enough:
//
//	import "github.com/threadcall/threadcall/recorder"
//
//	func main() {
//		defer recorder.Start()()
//		…
//	}
//
// Then
//
//	threadcall trace -- ./program arguments
//
// runs the program and reports what the trace says. Without threadcall, THREADCALL_TRACE=file ./program leaves a trace in the
// file, for go tool trace or for later. Where that variable is not set, the package does nothing.
//
// # The last seconds
//
// [KeepLast] keeps the trace of the last seconds in memory, in a program that runs for long, so that they can be written when something
// has gone wrong: on a signal, on a request over HTTP, when a function has run on a thread for too long, or from the program itself:
//
//	recorder.KeepLast(20*time.Second, 64<<20)                                   // for more or less than the default
//	recorder.OnSignal("traces", 10, syscall.SIGUSR1)                            // kill -USR1 writes a file
//	http.Handle("/debug/trace", recorderhttp.Handler())                         // curl -o last.trace …/debug/trace
//	mainthread.OnSlowCall(100*time.Millisecond, recorder.SlowCalls("slow", 10)) // the trace has the slow call
//	recorder.WriteLast(w)
//
// # Names of threads
//
// On Linux, a trace that Start, KeepLast or SlowCalls recorded has the names of threads that have one of their own, as threads of package
// thread do. Start also has those of most threads that ended before; the others have those of threads that exist when they write. threadcall trace shows them.
//
// # How the program may end
//
// The trace is whole if Stop was called, which the deferred call does when main returns or panics, and when a program
// that handles signals then returns from main.
//
// Stop cannot be called in a process that ends by os.Exit, log.Fatal, a panic of another goroutine, or a signal. What the
// runtime has written until then stays: it completes a part of the trace every second (GODEBUG=traceadvanceperiod=200000000
// makes that 200 milliseconds; threadcall trace does so), and the trace can be read up to the last whole part. A program
// that ends in such a way before the first part is whole leaves nothing. Where it matters, call [Stop] before os.Exit:
//
//	code := run()
//	recorder.Stop()
//	os.Exit(code)
//
// The package does not handle signals itself, because a program would then die of them in another way than it does without.
package recorder

import (
	"fmt"
	"os"
	"runtime/trace"
	"sync"
)

// variable names the file in the environment.
const variable = "THREADCALL_TRACE"

var (
	mu      sync.Mutex
	current *output // nil unless a trace is recorded
)

// Start begins to record an execution trace into the file that the environment variable THREADCALL_TRACE names, and
// returns [Stop]. The file is made, or emptied. Start does nothing if the variable is not set or empty. A process
// records one trace: a second Start does nothing.
//
// Start removes the variable from the environment, so that programs that this one starts do not write to the same file.
//
// If there can be no trace, because the file cannot be made or the program records a trace already, Start says so on the
// standard error output, and the program runs on without.
func Start() (stop func()) {
	mu.Lock()
	defer mu.Unlock()
	name := os.Getenv(variable)
	if name == "" {
		return Stop
	}
	os.Unsetenv(variable)
	f, err := os.Create(name)
	if err != nil {
		complain("no trace is recorded", err)
		return Stop
	}
	out := &output{file: f}
	if err := trace.Start(out); err != nil {
		f.Close()
		complain("no trace is recorded", err)
		return Stop
	}
	out.unwatch = watchThreads()
	current = out
	return Stop
}

// Stop ends the recording and returns when the file is complete. It does nothing if nothing is recorded. It may be
// called from any goroutine, and more than once.
//
// If not all of the trace could be written, Stop says so on the standard error output.
func Stop() {
	mu.Lock()
	defer mu.Unlock()
	if current == nil {
		return
	}
	current.unwatch()
	trace.Stop()
	if err := current.close(); err != nil {
		complain("the trace ends too early", err)
	}
	current = nil
}

// An output keeps the first error, which the runtime would forget, and writes nothing after it.
type output struct {
	file    *os.File
	err     error
	unwatch func() // ends the watching of threads
}

func (o *output) Write(p []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.file.Write(p)
	}
	return n, o.err
}

func (o *output) close() error {
	err := o.file.Close()
	if o.err != nil {
		return o.err
	}
	return err
}

func complain(what string, err error) {
	fmt.Fprintf(os.Stderr, "recorder: %s: %v (%s asks for one)\n", what, err, variable)
}
