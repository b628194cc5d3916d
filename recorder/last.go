package recorder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// What is kept if [KeepLast] was not called.
const (
	lastDefault  = 10 * time.Second
	bytesDefault = 16 << 20
)

// last is the recording of the last seconds. The runtime refuses to write it twice at a time.
var last struct {
	mu      sync.Mutex
	started bool
	err     error // of the start
}

// keep begins to record, if nothing has done so before. last.mu must be held.
func keep(d time.Duration, bytes uint64) error {
	if !last.started {
		last.started = true
		last.err = recordFlight(d, bytes)
	}
	return last.err
}

// KeepLast keeps the last d of the execution trace in memory, or the last bytes if that is less,
// until the process ends. [WriteLast], [OnSignal], [SlowCalls] and package recorderhttp write it;
// without KeepLast, they keep ten seconds, or 16 MB.
//
// The runtime drops and writes whole parts of a trace, of a second each, so up to two parts more
// are kept. While it records, each call takes 6 to 10 µs more.
//
// KeepLast needs Go 1.25. It returns an error if the process keeps a trace already, by KeepLast or
// by a [runtime/trace.FlightRecorder], of which a process has one. Start may record at the same
// time.
func KeepLast(d time.Duration, bytes uint64) error {
	if d <= 0 || bytes == 0 {
		return errors.New("recorder: KeepLast of nothing")
	}
	last.mu.Lock()
	defer last.mu.Unlock()
	if last.started {
		return errors.New("recorder: the last part of the trace is kept already")
	}
	return wrap(keep(d, bytes))
}

// WriteLast writes the trace of the last seconds, as threadcall trace and go tool trace read it.
// The recording goes on. If [KeepLast] was not called, the first call begins to record, and so has
// next to nothing to write.
func WriteLast(w io.Writer) error {
	last.mu.Lock()
	defer last.mu.Unlock()
	return wrap(writeKept(w))
}

// writeKept writes what is kept. last.mu must be held.
func writeKept(w io.Writer) error {
	if err := keep(lastDefault, bytesDefault); err != nil {
		return err
	}
	return writeFlight(w)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("recorder: %w", err)
}

var onError atomic.Pointer[func(error)]

// OnError sets the function that gets each error of a file that [OnSignal] or [SlowCalls] could not
// write. Several goroutines call it. Without one these errors are dropped.
func OnError(f func(error)) { onError.Store(&f) }

// background writes a file and gives an error to the function of OnError.
func background(dir, prefix string, files int, thread string) {
	if err := writeFile(dir, prefix, files, thread); err != nil {
		if f := onError.Load(); f != nil && *f != nil {
			(*f)(wrap(err))
		}
	}
}

// OnSignal writes the trace of the last seconds to a new file in the directory dir when the process
// gets one of the signals, which do nothing else until [signal.Reset]:
//
//	recorder.OnSignal("traces", 10, syscall.SIGUSR1)
//
// It makes the directory if need be, and keeps the n youngest files signal-TIME.trace, at least
// one. It returns an error if nothing can be recorded, as [KeepLast] does.
func OnSignal(dir string, n int, signals ...os.Signal) error {
	last.mu.Lock()
	defer last.mu.Unlock()
	if err := keep(lastDefault, bytesDefault); err != nil {
		return wrap(err)
	}
	c := make(chan os.Signal, 1) // a signal while a file is written leads to another file; more do not
	signal.Notify(c, signals...)
	go func() {
		for range c {
			background(dir, "signal-", n, "")
		}
	}()
	return nil
}

// SlowCalls returns a function for [thread.WithSlowCall] or OnSlowCall that writes the trace of the
// last seconds to a file in the directory dir, one for each slow call:
//
//	mainthread.OnSlowCall(100*time.Millisecond, recorder.SlowCalls("slow", 10))
//
// Then threadcall trace slow/FILE begins with that call. SlowCalls begins to record at once. It
// makes the directory if need be, and keeps the n youngest files slow-TIME-THREAD.trace, at least
// one. While a file is written, other slow calls wait. If nothing can be recorded, each slow call
// reports that to the function of [OnError].
func SlowCalls(dir string, n int) func(thread.SlowCall) {
	last.mu.Lock()
	defer last.mu.Unlock()
	_ = keep(lastDefault, bytesDefault) // each file has the error
	return func(s thread.SlowCall) { background(dir, "slow-", n, s.Name) }
}

// After the prefix, names begin with the time, so that their order is that of the files.
const (
	fileTime   = "20060102-150405.000000"
	fileSuffix = ".trace"
)

// writeFile writes what is kept to a new file, and leaves that many files with the prefix.
func writeFile(dir, prefix string, files int, thread string) (err error) {
	last.mu.Lock()
	defer last.mu.Unlock()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := prefix + time.Now().UTC().Format(fileTime)
	if thread = safe(thread); thread != "" {
		name += "-" + thread
	}
	name = filepath.Join(dir, name+fileSuffix)
	f, err := os.Create(name + "~") // so that no file is half a trace
	if err != nil {
		return err
	}
	err = writeKept(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return removeOldest(dir, prefix, max(files, 1))
}

// safe returns what of the name of a thread can be part of the name of a file.
func safe(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// removeOldest leaves that many files with the prefix in dir.
func removeOldest(dir, prefix string, files int) error {
	names, err := fs.Glob(os.DirFS(dir), prefix+"*"+fileSuffix) // in order
	for _, name := range names[:max(0, len(names)-files)] {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}
