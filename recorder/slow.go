package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// SlowCalls records the execution trace of the last seconds all the time, and returns a function for [thread.WithSlowCall] or
// OnSlowCall that writes them to a file of the directory dir, one file for each slow call:
//
//	mainthread.OnSlowCall(100*time.Millisecond, recorder.SlowCalls("slow", 10))
//
// Then threadcall trace slow/FILE begins with that call, and its page opens at it. The directory is made if need be. It
// has so many files at most, of those that SlowCalls has written, in earlier processes too; the oldest are removed. Less than one means one.
//
// A file has about the last ten seconds, or 16 MB if that is less, unless [KeepLast] was called before with other limits. Of a function
// that has run for longer it has the end.
//
// The recording, by a [runtime/trace.FlightRecorder], lasts until the process ends and is shared by all that SlowCalls
// returns. It takes 16 MB or more of memory and the time of a trace: each call takes 6 to 10 µs more. Writing a file takes
// about as long as reading 16 MB; meanwhile other slow calls wait to be written.
//
// SlowCalls needs Go 1.25, and a process has one FlightRecorder. If there can be none, or a file cannot be written, it says so
// on the standard error output, and the program runs on.
func SlowCalls(dir string, files int) func(thread.SlowCall) {
	if err := keep(); err != nil {
		fmt.Fprintf(os.Stderr, "recorder: slow calls are not traced: %v\n", err)
		return func(thread.SlowCall) {}
	}
	return func(s thread.SlowCall) {
		if err := writeFile(dir, slowPrefix, max(files, 1), s.Name); err != nil {
			fmt.Fprintf(os.Stderr, "recorder: a slow call is not traced: %v\n", err)
		}
	}
}

// After the prefix, names begin with the time, so that their order is that of the files.
const (
	slowPrefix   = "slow-"
	signalPrefix = "signal-"
	fileTime     = "20060102-150405.000000"
	fileSuffix   = ".trace"
)

// writeFile writes what is kept to a new file, and leaves so many files with the prefix.
func writeFile(dir, prefix string, files int, thread string) (err error) {
	writing.Lock()
	defer writing.Unlock()
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
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err := writeKept(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return removeOldest(dir, prefix, files)
}

// safe returns what of the name of a thread can be part of the name of a file.
func safe(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// removeOldest leaves so many files with the prefix in dir.
func removeOldest(dir, prefix string, files int) error {
	all, err := os.ReadDir(dir) // in the order of names
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(f os.DirEntry) bool {
		return !strings.HasPrefix(f.Name(), prefix) || !strings.HasSuffix(f.Name(), fileSuffix)
	})
	for _, f := range all[:max(0, len(all)-files)] {
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}
