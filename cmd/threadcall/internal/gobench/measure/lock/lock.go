// Package lock lets one benchmark at a time run on a machine: a run locks a file that all users
// share. The kernel unlocks the file of a process that ends, however it ends.
package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// FileVariable names the environment variable with the name of the file. Without it, all users of
// the machine have the same one.
const FileVariable = "THREADCALL_BENCH_LOCK"

// poll is how long a waiter waits between two looks at the file.
const poll = 200 * time.Millisecond

// Acquire waits for the lock, which lasts until release or the end of the process; processes that
// this one starts do not prolong it. If another process has the lock, Acquire calls waits with what
// that has written about itself, as half a line, and again when it has changed.
//
// If ctx ends first, the error wraps its cause. Where the kernel has no such locks, the error wraps
// errors.ErrUnsupported.
func Acquire(ctx context.Context, command string, waits func(holder string)) (func(), error) {
	path := os.Getenv(FileVariable)
	if path == "" {
		dir := "/tmp" // TMPDIR is another directory for each user on some systems
		if runtime.GOOS == "windows" {
			dir = cmp.Or(os.Getenv("ProgramData"), os.TempDir())
		}
		path = filepath.Join(dir, "threadcall-bench.lock")
	}
	for reported := ""; ; {
		release, holder, err := try(path, command)
		if err != nil {
			return nil, fmt.Errorf("cannot lock the machine: %w; %s can name another file", err,
				FileVariable)
		}
		if release != nil {
			return release, nil
		}
		if holder != reported {
			waits(holder)
			reported = holder
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("interrupted while another benchmark runs: %w",
				context.Cause(ctx))
		case <-time.After(poll):
		}
	}
}

// try locks the file if nothing else has locked it, and otherwise returns who has.
func try(path, command string) (release func(), holder string, err error) {
	f, flags, err := open(path)
	if err != nil {
		return nil, "", err
	}
	l := flock.New(path, flock.SetFlag(flags))
	leave := func() { // f last: where locks are those of processes, to close it unlocks
		_ = l.Close()
		f.Close()
	}
	locked, err := l.TryLock()
	switch {
	case err != nil:
	case !locked:
		holder = read(f)
	default:
		write(f, about(command))
		return func() {
			write(f, "")
			leave()
		}, "", nil
	}
	leave()
	return nil, holder, err
}

// open opens the file, and makes it for all users if need be. It follows no link, which another
// user could have put there.
func open(path string) (f *os.File, flags int, err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	}
	// Linux can refuse O_CREATE for a file of another user in /tmp (fs.protected_regular).
	flags = os.O_RDWR
	f, err = os.OpenFile(path, flags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			err = f.Chmod(0o666) // whatever the umask
		} else if errors.Is(err, fs.ErrExist) { // another process has just made it
			f, err = os.OpenFile(path, flags, 0)
		}
	}
	if errors.Is(err, fs.ErrPermission) { // of another user, on Windows: the name stays unknown
		flags = os.O_RDONLY
		f, err = os.OpenFile(path, flags, 0)
	}
	return f, flags, err
}

// about returns what this process writes about itself: "pid 42 (gopher) in /home/gopher/x since
// 15:04:05: threadcall bench".
func about(command string) string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	dir, _ := os.Getwd()
	since := time.Now().Format(time.TimeOnly)
	return fmt.Sprintf("pid %d (%s) in %s since %s: %s", os.Getpid(), name, dir, since, command)
}

// The text is a line from byte 1 on: on Windows, byte 0 cannot be read while it is locked. What is
// behind the line is of a holder before.

// write may fail on a full disk: the lock holds without the text.
func write(f *os.File, text string) { _, _ = f.WriteAt([]byte(text+"\n"), 1) }

func read(f *os.File) string {
	text, _ := io.ReadAll(io.NewSectionReader(f, 1, 1000))
	line, _, _ := strings.Cut(string(text), "\n")
	return cmp.Or(line, "another benchmark")
}
