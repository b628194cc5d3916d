// Package recorder lets a program record an execution trace of itself when it is asked to from
// outside, as threadcall trace does:
//
//	func main() {
//		recorder.Start()
//		defer recorder.Stop()
//		…
//	}
//
// Then threadcall trace -- ./program arguments runs the program and reports what the trace says.
// Without threadcall, THREADCALL_TRACE=file ./program leaves a trace in the file. Where that
// variable is not set, both functions do nothing.
//
// [KeepLast] keeps the trace of the last seconds in memory, in a program that runs for long, so
// that they can be written when something has gone wrong:
//
//	recorder.KeepLast(20*time.Second, 64<<20)           // for more or less than the default
//	recorder.OnSignal("traces", 10, syscall.SIGUSR1)    // kill -USR1 writes a file
//	http.Handle("/debug/trace", recorderhttp.Handler()) // curl -o last.trace …/debug/trace
//	http.Handle("/debug/threads", recorderhttp.Threads()) // what all threads do
//	recorder.WriteLast(w)
//	mainthread.OnSlowCall(100*time.Millisecond, recorder.SlowCalls("slow", 10))
//
// The functions return errors. Files that are written in the background, by OnSignal and SlowCalls,
// report errors to the function that [OnError] sets. On Linux, the traces have the names of threads
// that have one of their own, as threads of package thread do.
//
// # How the program may end
//
// The trace is whole if Stop was called, which the deferred call does when main returns or panics.
// It cannot be called in a process that ends by os.Exit, log.Fatal, a panic of another goroutine,
// or a signal. The runtime completes a part of the trace every second, and threadcall trace makes
// that 200 milliseconds (GODEBUG=traceadvanceperiod=200000000); such a trace can be read up to the
// last whole part. The package does not handle signals unless OnSignal is called.
package recorder

import (
	"errors"
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

// Start begins to record an execution trace into the file that the environment variable
// THREADCALL_TRACE names, until [Stop]. The file is made, or emptied. Start does nothing if the
// variable is not set or empty, or if Start records a trace already.
//
// Start removes the variable from the environment, so that programs that this one starts do not
// write to the same file. It returns an error if there can be no trace, because the file cannot be
// made or the program records a trace by other means.
func Start() error {
	mu.Lock()
	defer mu.Unlock()
	name := os.Getenv(variable)
	if name == "" {
		return nil
	}
	os.Unsetenv(variable)
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("recorder: %s: %w", variable, err)
	}
	out := &output{file: f}
	if err := trace.Start(out); err != nil {
		f.Close()
		return fmt.Errorf("recorder: %w", err)
	}
	out.unwatch = watchThreads()
	current = out
	return nil
}

// Stop ends the recording and returns when the file is complete, with an error if not all of the
// trace could be written. It does nothing if Start records nothing. It may be called from any
// goroutine, and more than once.
func Stop() error {
	mu.Lock()
	defer mu.Unlock()
	if current == nil {
		return nil
	}
	out := current
	current = nil
	out.unwatch()
	trace.Stop()
	if err := errors.Join(out.err, out.file.Close()); err != nil {
		return fmt.Errorf("recorder: the trace ends too early: %w", err)
	}
	return nil
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
