package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
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
// until the process ends. [WriteLast], [Files] and package recorderhttp write it; without KeepLast,
// they keep ten seconds, or 16 MB.
//
// The runtime drops and writes whole parts of a trace, of a second each, so up to two parts more
// are kept. While it records, each call takes 6 to 10 µs more.
//
// KeepLast needs Go 1.25. It returns an error if the process keeps a trace already, by KeepLast or
// a [runtime/trace.FlightRecorder], of which a process has one. Start may record, too.
func KeepLast(d time.Duration, bytes uint64) error {
	if d <= 0 || bytes == 0 {
		return fmt.Errorf("recorder: KeepLast(%v, %d) would keep nothing", d, bytes)
	}
	last.mu.Lock()
	defer last.mu.Unlock()
	if last.started {
		return errors.New("recorder: the last part of the trace is kept already")
	}
	return wrap(keep(d, bytes))
}

// WriteLast writes the trace of the last seconds, as threadcall trace and go tool trace read it.
// The recording goes on. If [KeepLast] was not called, the first call begins to record.
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

// Files writes the trace of the last seconds to files, in the background, when something is wrong.
// Several goroutines may call its methods; after that it must not be changed or copied.
type Files struct {
	Dir      string        // is made if need be; empty for the current directory
	Keep     int           // how many files are kept, for signals and for slow calls; 0 for 10
	Interval time.Duration // the least time between two files for slow calls; 0 for a minute
	OnError  func(error)   // gets the errors; several goroutines call it; nil drops them

	mu   sync.Mutex
	slow time.Time // when the last slow call had a file
}

// OnSignal writes a file signal-TIME.trace when the process gets one of the signals, until stop is
// called. While a file is written, further signals lead to one more. The signals have no other
// effect, unless another part of the program asks for them, too; stop returns those that it does
// not ask for to what they did before.
//
// OnSignal begins to record at once, or returns an error if nothing can be recorded, as [KeepLast].
func (f *Files) OnSignal(first os.Signal, more ...os.Signal) (stop func(), err error) {
	last.mu.Lock()
	defer last.mu.Unlock()
	if err := keep(lastDefault, bytesDefault); err != nil {
		return func() {}, wrap(err)
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, append(more[:len(more):len(more)], first)...)
	go func() {
		for range c {
			f.write("signal-", "")
		}
	}()
	return sync.OnceFunc(func() { signal.Stop(c); close(c) }), nil
}

// SlowCalls returns a function for [thread.WithSlowCall] or OnSlowCall that writes a file
// slow-TIME-THREAD.trace, with which threadcall trace begins with that call. It writes one in an
// Interval at most: a program that is slow as a whole has many slow calls, and their files would
// make it slower. [thread.Stats] counts all of them.
//
// SlowCalls begins to record at once. If nothing can be recorded, OnError gets that for each file.
func (f *Files) SlowCalls() func(thread.SlowCall) {
	last.mu.Lock()
	defer last.mu.Unlock()
	_ = keep(lastDefault, bytesDefault) // each file has the error
	return func(s thread.SlowCall) {
		f.mu.Lock()
		due := f.slow.IsZero() || time.Since(f.slow) >= cmp.Or(f.Interval, time.Minute)
		if due {
			f.slow = time.Now()
		}
		f.mu.Unlock()
		if due {
			f.write("slow-", s.Name)
		}
	}
}

// After the prefix, names begin with the time, so that their order is that of the files.
const (
	fileTime   = "20060102-150405.000000"
	fileSuffix = ".trace"
)

func (f *Files) write(prefix, thread string) {
	if err := f.tryWrite(prefix, thread); err != nil && f.OnError != nil {
		f.OnError(wrap(err))
	}
}

// tryWrite writes what is kept to a new file, and removes the oldest with the prefix.
func (f *Files) tryWrite(prefix, thread string) (err error) {
	last.mu.Lock()
	defer last.mu.Unlock()
	dir := cmp.Or(f.Dir, ".")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := prefix + time.Now().UTC().Format(fileTime)
	if thread = safe(thread); thread != "" {
		name += "-" + thread
	}
	name = filepath.Join(dir, name+fileSuffix)
	file, err := os.Create(name + "~") // so that no file is half a trace
	if err != nil {
		return err
	}
	err = cmp.Or(writeKept(file), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		os.Remove(file.Name())
		return err
	}
	names, err := fs.Glob(os.DirFS(dir), prefix+"*"+fileSuffix) // in order
	for _, name := range names[:max(0, len(names)-max(cmp.Or(f.Keep, 10), 1))] {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
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
