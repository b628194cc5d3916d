package recorder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"
)

// What is kept if [KeepLast] was not called.
const (
	lastDefault  = 10 * time.Second
	bytesDefault = 16 << 20
)

var last struct {
	mu      sync.Mutex
	started bool
	err     error // of the start
}

// KeepLast begins to record the execution trace of the process and to keep the last d of it in memory, or the last bytes if that
// is less. It lasts until the process ends. [WriteLast], [OnSignal], [SlowCalls] and package recorderhttp write what is kept; where they are used without
// KeepLast, they keep the last ten seconds, or 16 MB.
//
// The runtime drops and writes whole parts of a trace, of a second each (see GODEBUG=traceadvanceperiod). So what is kept can exceed
// the bytes by the parts of the last two seconds.
//
// KeepLast needs Go 1.25. It returns an error if the process keeps a trace already, with KeepLast or with a
// [runtime/trace.FlightRecorder] of its own, of which a process has one. Start and KeepLast can be used at the same time.
func KeepLast(d time.Duration, bytes uint64) error {
	if d <= 0 || bytes == 0 {
		return errors.New("recorder: KeepLast of nothing")
	}
	last.mu.Lock()
	defer last.mu.Unlock()
	if last.started {
		return errors.New("recorder: the last part of the trace is kept already")
	}
	last.started = true
	if last.err = recordFlight(d, bytes); last.err != nil {
		return fmt.Errorf("recorder: %w", last.err)
	}
	return nil
}

// keep begins to record, if nothing has done so before.
func keep() error {
	last.mu.Lock()
	defer last.mu.Unlock()
	if !last.started {
		last.started = true
		last.err = recordFlight(lastDefault, bytesDefault)
	}
	return last.err
}

// writing is held while what is kept is written, because the runtime refuses to do so twice at a time.
var writing sync.Mutex

// WriteLast writes the trace of the last seconds, as threadcall trace and go tool trace read it. The process runs on
// meanwhile, and the recording goes on. The first call begins to record if [KeepLast] was not called, so that it has next to nothing to
// write.
func WriteLast(w io.Writer) error {
	if err := keep(); err != nil {
		return fmt.Errorf("recorder: %w", err)
	}
	writing.Lock()
	defer writing.Unlock()
	return writeKept(w)
}

// writeKept writes what is kept. Writing must be held.
func writeKept(w io.Writer) error {
	nameThreads(map[string]bool{})
	return writeFlight(w)
}

// OnSignal writes the trace of the last seconds to a new file of the directory dir when the process gets one of the signals:
//
//	defer recorder.OnSignal("traces", 10, syscall.SIGUSR1)()
//
// The directory is made if need be. It has so many files signal-TIME.trace at most; the oldest are removed. Less than one means one.
// The signals do nothing else until stop is called; then they have the effect again that they had before.
//
// Errors are reported on the standard error output, and the program runs on. Windows has no signals for this.
func OnSignal(dir string, files int, signals ...os.Signal) (stop func()) {
	if err := keep(); err != nil {
		fmt.Fprintf(os.Stderr, "recorder: no trace is written on signals: %v\n", err)
		return func() {}
	}
	c := make(chan os.Signal, 1) // a signal while a file is written leads to another file; more do not
	done := make(chan struct{})
	signal.Notify(c, signals...)
	go func() {
		defer close(done)
		for range c {
			if err := writeFile(dir, signalPrefix, max(files, 1), ""); err != nil {
				fmt.Fprintf(os.Stderr, "recorder: no trace is written: %v\n", err)
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(c)
		close(c)
		<-done
	})
}
