package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const (
	openFlags        = 0
	removesOpenFiles = false
)

func commonDir() (string, error) {
	programData, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, 0)
	return filepath.Join(programData, "threadcall-bench"), err
}

func trusted(string, *os.Root) error { return nil }

// remove does not go by the open directory, which takes calls that Wine 8 does not have.
func (q *queue) remove(name string) { os.Remove(filepath.Join(q.dir, name)) }

// tryLock locks f, unless another open file of the same name is locked. It locks a byte far behind the end, because what is
// locked cannot be read.
func tryLock(f *os.File, exclusive bool) (locked bool, err error) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, fmt.Errorf("locking %s: %w", f.Name(), err)
}

// owner is not known: userName is in the ticket.
func owner(fs.FileInfo) string { return "" }

func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
