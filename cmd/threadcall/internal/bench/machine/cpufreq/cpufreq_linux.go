package cpufreq

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watchdogName is the name under which a process is the watchdog. Its argument is what to restore.
const watchdogName = "threadcall-cpufreq-watchdog"

// timeout is how long the watchdog may take to start, or to restore. It is also how long Hold waits for the watchdog of
// another process that has just ended.
var timeout = 10 * time.Second

// root is where sys is. Tests have one of their own.
var root = "/"

func policies() string { return filepath.Join(root, "sys/devices/system/cpu/cpufreq") }

// A policy is a group of CPUs with one frequency, and the limits that it had.
type policy struct {
	Dir      string
	Min, Max int // in kHz
}

// held is what Restore needs.
type held struct {
	old      []policy
	lock     *os.File // the watchdog has it, too, so that the next Hold waits for what it restores
	watchdog *exec.Cmd
	to       io.Closer // its end makes the watchdog restore
	replies  *bufio.Reader
}

func hold(percent int) (*Held, error) {
	dirs, err := filepath.Glob(filepath.Join(policies(), "policy*"))
	if err != nil || len(dirs) == 0 {
		return nil, cmp.Or(err, ErrNone)
	}
	lock, err := lockPolicies()
	if err != nil {
		return nil, err
	}
	h := &Held{held: held{lock: lock}}
	targets := make([]int, len(dirs))
	for i, dir := range dirs {
		low, high, err1 := policy{Dir: dir}.limits("cpuinfo")
		targets[i] = low + int(int64(high-low)*int64(percent)/100)
		p := policy{Dir: dir}
		var err2 error
		p.Min, p.Max, err2 = p.limits("scaling")
		if err := cmp.Or(err1, err2, p.writable()); err != nil {
			lock.Close()
			return nil, err
		}
		h.old = append(h.old, p)
	}
	if err := h.start(); err != nil {
		lock.Close()
		return nil, fmt.Errorf("the CPU frequency stays as it is: starting the watchdog that would restore it: %w", err)
	}
	for i, p := range h.old {
		if err := p.set(targets[i], targets[i]); err != nil {
			return nil, errors.Join(err, h.Restore())
		}
	}
	_, is, err := h.old[0].limits("scaling")
	if err != nil {
		return nil, errors.Join(err, h.Restore())
	}
	h.What = fmt.Sprintf("%.2f GHz", float64(is)/1e6)
	return h, nil
}

// lockPolicies makes sure that no other process holds the frequency, or is about to restore it.
func lockPolicies() (*os.File, error) {
	f, err := os.Open(policies())
	if err != nil {
		return nil, err
	}
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return f, nil
		case err == unix.EINTR || err == unix.EWOULDBLOCK && time.Since(begin) < timeout:
			continue
		case err == unix.EWOULDBLOCK:
			err = errors.New("another process holds the CPU frequency")
		}
		f.Close()
		return nil, err
	}
}

// start returns when the watchdog runs.
func (h *held) start() error {
	old, err := json.Marshal(h.old)
	if err != nil {
		return err
	}
	h.watchdog = exec.Command("/proc/self/exe") // also if the file is gone
	h.watchdog.Args = []string{watchdogName, string(old)}
	h.watchdog.Dir = "/"
	h.watchdog.ExtraFiles = []*os.File{h.lock}
	h.watchdog.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a terminal's Ctrl-C and its end do not reach it
	to, err1 := h.watchdog.StdinPipe()
	from, err2 := h.watchdog.StdoutPipe()
	if err := cmp.Or(err1, err2, h.watchdog.Start()); err != nil {
		return err
	}
	h.to, h.replies = to, bufio.NewReader(from)
	if err := h.reply(); err != nil {
		h.watchdog.Process.Kill() // it has nothing to restore
		h.watchdog.Wait()
		return err
	}
	return nil
}

var errGone = errors.New("the watchdog has ended")

// reply returns the error that the watchdog reports, or errGone if it has been killed, as one is that does not reply.
func (h *held) reply() error {
	defer time.AfterFunc(timeout, func() { h.watchdog.Process.Kill() }).Stop()
	line, err := h.replies.ReadString('\n')
	switch text := strings.TrimSpace(line); {
	case err != nil:
		return errGone
	case text != "ok":
		return errors.New(text)
	}
	return nil
}

func (h *held) restore() error {
	if h.lock == nil {
		return nil
	}
	h.to.Close()
	err := h.reply()
	h.watchdog.Wait()
	if err == errGone {
		err = restore(h.old)
	}
	h.lock.Close()
	h.lock = nil
	return err
}

func maybeWatchdog() {
	if len(os.Args) != 2 || os.Args[0] != watchdogName {
		return
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)
	var old []policy
	if err := json.Unmarshal([]byte(os.Args[1]), &old); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ok")
	io.Copy(io.Discard, os.Stdin)
	if err := restore(old); err != nil {
		fmt.Println(strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
	fmt.Println("ok")
	os.Exit(0)
}

func restore(old []policy) (err error) {
	for _, p := range old {
		err = errors.Join(err, p.set(p.Min, p.Max))
	}
	if err != nil {
		return fmt.Errorf("the CPU frequency is not restored: %w", err)
	}
	return nil
}

// set sets the limits. The kernel may refuse a lower limit above the upper one, even for a moment.
func (p policy) set(low, high int) error {
	if now, _, err := p.limits("scaling"); err == nil && high < now {
		return cmp.Or(p.write("scaling_min_freq", low), p.write("scaling_max_freq", high))
	}
	return cmp.Or(p.write("scaling_max_freq", high), p.write("scaling_min_freq", low))
}

// limits returns the frequencies of one kind: those that the hardware has, cpuinfo, or those that are set, scaling.
func (p policy) limits(kind string) (low, high int, err error) {
	for name, to := range map[string]*int{"_min_freq": &low, "_max_freq": &high} {
		b, err := os.ReadFile(filepath.Join(p.Dir, kind+name))
		if err != nil {
			return 0, 0, err
		}
		if *to, err = strconv.Atoi(strings.TrimSpace(string(b))); err != nil {
			return 0, 0, err
		}
	}
	return low, high, nil
}

func (p policy) write(name string, value int) error {
	f, err := os.OpenFile(filepath.Join(p.Dir, name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, value)
	return cmp.Or(err, f.Close())
}

// writable returns the error that write would return.
func (p policy) writable() error {
	f, err := os.OpenFile(filepath.Join(p.Dir, "scaling_max_freq"), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("setting the CPU frequency needs root, and a /sys that is not read-only: %w", err)
	}
	return f.Close()
}
