// Package recorder records execution traces of the program in which it is:
//
//	func main() {
//		recorder.Start()
//		defer recorder.Stop()
//		…
//	}
//
// Then threadcall trace -- ./program arguments runs the program and reports what the trace says.
// Without threadcall, THREADCALL_TRACE=file ./program leaves a trace in the file. Without that
// variable, both functions do nothing.
//
// A program that runs for long keeps the last seconds in memory, and writes them when necessary:
//
//	recorder.KeepLast(20*time.Second, 64<<20)         // for more or less than the default
//	recorder.WriteLast(w)
//	http.Handle("/debug/trace", recorderhttp.Trace()) // curl -o last.trace …/debug/trace
//	files := &recorder.Files{Dir: "traces"}
//	files.OnSignal(syscall.SIGUSR1)                   // kill -USR1 writes a file
//	mainthread.Thread().OnSlowCall(100*time.Millisecond, files.SlowCalls())
//
// # How the program may end
//
// The trace is whole if Stop was called, which the deferred call does when main returns or panics.
// A process that ends by os.Exit, log.Fatal, a panic of another goroutine or a signal cannot call
// it. The runtime completes a part of the trace every second, every 200 ms with threadcall trace
// (GODEBUG=traceadvanceperiod=200000000), and the trace can be read up to the last whole part. The
// package handles no signals but those given to [Files.OnSignal].
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

// Start records an execution trace, until [Stop], into the file that the environment variable
// THREADCALL_TRACE names. It makes the file, or replaces what is in it. If the variable is not set
// or empty, or if Start records a trace already, it does nothing. It returns an error if the file
// cannot be opened or the program records a trace by other means; the file keeps its content then.
//
// Start removes the variable from the environment, so that child processes leave the file alone.
func Start() error {
	mu.Lock()
	defer mu.Unlock()
	name := os.Getenv(variable)
	if name == "" {
		return nil
	}
	os.Unsetenv(variable)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // the first write empties it
	if err != nil {
		return fmt.Errorf("recorder: %s: %w", variable, err)
	}
	out := &output{file: f}
	if err := trace.Start(out); err != nil {
		f.Close()
		return fmt.Errorf("recorder: %w", err)
	}
	current = out
	return nil
}

// Stop ends the recording and returns when the file is complete, or an error if part of the trace
// could not be written. If Start records nothing, it does nothing.
func Stop() error {
	mu.Lock()
	defer mu.Unlock()
	if current == nil {
		return nil
	}
	out := current
	current = nil
	trace.Stop()
	if err := errors.Join(out.err, out.file.Close()); err != nil {
		return fmt.Errorf("recorder: the trace ends too early: %w", err)
	}
	return nil
}

// An output keeps the first error, which the runtime would forget, and writes nothing after it.
type output struct {
	file  *os.File
	begun bool
	err   error
}

func (o *output) Write(p []byte) (n int, err error) {
	if !o.begun {
		o.begun = true
		if info, err := o.file.Stat(); err == nil && info.Mode().IsRegular() {
			o.err = o.file.Truncate(0)
		}
	}
	if o.err == nil {
		n, o.err = o.file.Write(p)
	}
	return n, o.err
}
