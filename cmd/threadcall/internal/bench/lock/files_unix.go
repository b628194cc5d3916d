//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"errors"
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

// hostDir is the queue of the host. It is not in TMPDIR, which on some systems is another directory for each user.
const hostDir = "/tmp/threadcall-bench"

// openQueue opens the queue's directory, and makes it if asked to. Without it the queue is nil.
func openQueue(make bool) (*queue, error) {
	if dir := os.Getenv(DirVariable); dir != "" {
		return openDir(dir, true, make)
	}
	return openDir(hostDir, false, make)
}

// openDir takes a user's own directory as it is. That of the host must be one in which everyone may make files and remove
// only their own. Whoever was first owns it and could remove the files of others; that is no more than could be done to them
// by using up the machine.
func openDir(dir string, own, make bool) (*queue, error) {
	if make {
		if err := os.Mkdir(dir, 0o777); err == nil {
			if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
				return nil, fmt.Errorf("making the queue of benchmarks: %w", err)
			}
		} else if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("making the queue of benchmarks: %w; %s can name another directory", err, DirVariable)
		}
	}
	look := os.Lstat
	if own {
		look = os.Stat
	}
	info, err := look(dir)
	for try := 0; err == nil && !own && info.IsDir() && !everyones(info) && try < 50; try++ {
		time.Sleep(10 * time.Millisecond) // another process may be just making it
		info, err = look(dir)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !make:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking at the queue of benchmarks: %w", err)
	case !own && !(info.IsDir() && everyones(info)):
		return nil, fmt.Errorf("%s is not the queue of benchmarks that it should be: its mode is %v, not %v; remove it, or set %s "+
			"to another directory", dir, info.Mode(), fs.ModeDir|fs.ModeSticky|0o777, DirVariable)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the queue of benchmarks: %w; %s can name another directory", err, DirVariable)
	}
	q := &queue{dir, root}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(opened, info) {
		q.close()
		return nil, fmt.Errorf("%s was exchanged while it was opened", dir)
	}
	return q, nil
}

func (q *queue) remove(name string) { q.root.Remove(name) }

func everyones(info fs.FileInfo) bool {
	return info.Mode().Perm() == 0o777 && info.Mode()&fs.ModeSticky != 0
}

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

// userName is not needed: owner tells it.
func userName() string { return "" }
