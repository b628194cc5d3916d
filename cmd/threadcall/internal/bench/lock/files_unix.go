//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	openFlags        = unix.O_NOFOLLOW | unix.O_NONBLOCK
	removesOpenFiles = true
)

// commonDir is not in TMPDIR, which on some systems is another directory for each user.
func commonDir() (string, error) { return "/tmp/threadcall-bench", nil }

// trusted returns an error unless all users may make files in the directory and remove only their own.
func trusted(dir string, root *os.Root) error {
	for try := 0; ; try++ {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		opened, err := root.Stat(".")
		switch {
		case err != nil:
			return err
		case os.SameFile(opened, info) && info.Mode() == fs.ModeDir|fs.ModeSticky|0o777:
			return nil
		case try == 50 || !info.IsDir():
			return fmt.Errorf("%s should be a directory of mode %v, not %v; remove it", dir, fs.ModeDir|fs.ModeSticky|0o777, info.Mode())
		}
		time.Sleep(10 * time.Millisecond) // another process may be just making it
	}
}

func (q *queue) remove(name string) { q.root.Remove(name) }

// tryLock locks f, unless another open file of the same name is locked. The lock belongs to the open file: it ends when
// that is closed, at the latest by the end of the process, because no other process gets it.
func tryLock(f *os.File, exclusive bool) (locked bool, err error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch err {
		case nil:
			return true, nil
		case unix.EWOULDBLOCK:
			return false, nil
		case unix.EINTR:
			continue
		}
		return false, fmt.Errorf("locking %s: %w", f.Name(), err)
	}
}

func owner(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	id := strconv.FormatUint(uint64(stat.Uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "uid " + id
}

// userName is not needed: owner reports it.
func userName() string { return "" }
