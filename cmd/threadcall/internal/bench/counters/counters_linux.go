package counters

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inheritThread is the bit by which threads inherit a counter, and processes that they start don't.
const inheritThread = 1 << 35

// firstDescriptor of those that a test binary inherits, far from those that it opens itself.
const firstDescriptor = 100

func format(events []Event) string {
	var all []string
	for _, e := range events {
		all = append(all, fmt.Sprintf("%s=%d:%d", e.Unit, e.Type, e.Config))
	}
	return strings.Join(all, ",")
}

func parse(text string) (events []Event) {
	for one := range strings.SplitSeq(text, ",") {
		unit, numbers, _ := strings.Cut(one, "=")
		e := Event{Unit: unit}
		if _, err := fmt.Sscanf(numbers, "%d:%d", &e.Type, &e.Config); err == nil {
			events = append(events, e)
		}
	}
	return events
}

// open opens a counter of this thread, and of the threads that it starts, which counts from the next exec on.
func (e Event) open() (fd int, err error) {
	attr := unix.PerfEventAttr{
		Type:        e.Type,
		Config:      e.Config,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		Bits: unix.PerfBitDisabled | unix.PerfBitEnableOnExec | unix.PerfBitInherit | inheritThread |
			unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err = unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 5.13
		attr.Bits &^= inheritThread
		fd, err = unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	}
	return fd, err
}

func available(events []Event) error {
	for _, e := range events {
		fd, err := e.open()
		if err != nil {
			return explain(err)
		}
		unix.Close(fd)
	}
	return nil
}

// explain returns what an error of perf_event_open means.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENODEV):
		return errors.New("the CPU has none for the kernel, as in most virtual machines")
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		text, _ := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
		if level := strings.TrimSpace(string(text)); level != "" {
			return fmt.Errorf("the system does not permit perf_event_open (kernel.perf_event_paranoid is %s; 2 permits it, unless a container forbids it)", level)
		}
		return errors.New("the system does not permit perf_event_open")
	case errors.Is(err, unix.ENOSYS):
		return errors.New("the kernel has no perf_event_open")
	}
	return fmt.Errorf("perf_event_open: %w", err)
}

// become opens the counters and becomes the program that the arguments name. It returns only to end the process.
func become() {
	runtime.LockOSThread() // the counters are those of the thread that calls exec
	var opened []string
	for _, e := range parse(os.Getenv(request)) {
		fd, err := e.open()
		if err != nil {
			continue // the benchmark runs without the unit
		}
		if fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD, firstDescriptor); err == nil { // which stays open
			opened = append(opened, fmt.Sprintf("%s=%d", e.Unit, fd))
		}
	}
	os.Unsetenv(request)
	if opened != nil {
		os.Setenv(Environment, strings.Join(opened, ","))
	}
	err := errors.New("no program is named")
	if len(os.Args) > 1 {
		err = unix.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "threadcall:", strings.Join(os.Args[1:], " ")+":", err)
	os.Exit(2)
}
