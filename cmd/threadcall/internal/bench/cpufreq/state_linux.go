package cpufreq

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A state says what has been changed, and from what.
type state struct {
	Boot    string   `json:"boot"` // of the kernel that this is about
	PID     int      `json:"pid"`  // of the process that changed it
	Settled bool     `json:"settled"`
	Changes []change `json:"changes"`
}

type change struct {
	Policy policy `json:"policy"`
	Old    limits `json:"old"`
	Ours   limits `json:"ours"` // what we have asked for; when settled, what the kernel has made of it
}

// putBack undoes all changes, and goes on where one cannot be undone.
func (s state) putBack() (notes []string, err error) {
	for _, c := range s.Changes {
		if !c.Policy.valid() {
			err = errors.Join(err, fmt.Errorf("there is no CPU frequency policy of the name %q", c.Policy))
			continue
		}
		note, e := c.Policy.putBack(c.Old, c.Ours, s.Settled)
		if note != "" {
			notes = append(notes, note)
		}
		err = errors.Join(err, e)
	}
	return notes, err
}

func boot() string {
	b, _ := os.ReadFile(filepath.Join(root(), "proc/sys/kernel/random/boot_id"))
	return strings.TrimSpace(string(b))
}

// stateDir is one that a restart of the machine empties, as it does with the frequency, and that belongs to root. It is not
// that of the lock, where others may remove and make files.
func stateDir() string { return filepath.Join(root(), "run/threadcall") }

func stateFile() string { return filepath.Join(stateDir(), "cpufreq.json") }

// write replaces the state file.
func (s state) write() error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	temporary := stateFile() + ".new"
	if err := os.WriteFile(temporary, append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, stateFile())
}

// readState returns fs.ErrNotExist if nothing is left, or only something from before the machine was started.
func readState() (s state, err error) {
	b, err := os.ReadFile(stateFile())
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s: %w; look whether the CPU frequency is as it should be, and remove the file", stateFile(), err)
	}
	if s.Boot != boot() {
		return s, fs.ErrNotExist
	}
	return s, nil
}

func removeState() error {
	if err := os.Remove(stateFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// errBusy says that another process has fixed the frequency.
var errBusy = errors.New("another process has fixed the CPU frequency")

// lockState makes sure that nobody else changes frequencies, for as long as the file is open in any process. If someone
// does, it waits: a guardian may be about to restore.
func lockState(patience time.Duration) (*os.File, error) {
	if err := os.MkdirAll(stateDir(), 0o755); err != nil {
		return nil, fmt.Errorf("setting the CPU frequency: %w", err)
	}
	info, err := os.Lstat(stateDir())
	if err != nil {
		return nil, err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode()&0o022 != 0 {
		return nil, fmt.Errorf("setting the CPU frequency: %s must be a directory of this user that nobody else can write to: "+
			"remove what is there", stateDir())
	}
	f, err := os.OpenFile(filepath.Join(stateDir(), "cpufreq.lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if err != unix.EWOULDBLOCK && err != unix.EINTR || time.Since(begin) >= patience {
			f.Close()
			if err == unix.EWOULDBLOCK {
				err = errBusy
			}
			return nil, err
		}
	}
}

func recoverState() (notes []string, err error) {
	s, err := readState()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lock, err := lockState(0)
	switch {
	case errors.Is(err, errBusy):
		return nil, nil // it is in use, and guarded
	case err != nil && unix.Kill(s.PID, 0) != unix.ESRCH:
		return nil, nil // most likely it is, too, by root
	case err != nil:
		return nil, fmt.Errorf("a run that was killed has left the CPU frequency changed; to put it back, run this as root: %w", err)
	}
	defer lock.Close()
	return recoverLocked()
}

// recoverLocked is recoverState for who has the lock, and so knows that no guardian is at work.
func recoverLocked() (notes []string, err error) {
	s, err := readState()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, removeState()
	case err != nil:
		return nil, err
	}
	notes, err = s.putBack()
	if err != nil {
		return notes, err
	}
	notes = append([]string{fmt.Sprintf("A run that was killed (pid %d) had left the CPU frequency changed. It is put back.", s.PID)}, notes...)
	return notes, removeState()
}
