// Package osthread sets and reads properties of the operating system's thread that the caller is
// on: its name, the CPUs that it may use, its priority, the signals that it blocks.
//
//	t, err := thread.Start(thread.WithStart(func() error {
//		return errors.Join(osthread.SetAffinity(2, 3), osthread.SetRealtime(10))
//	}))
//
// A function that sets a property asks the kernel afterwards whether the thread has it. If so, it
// returns nil. Otherwise its error says what the thread has, or why no thread can have the
// property. [errors.Is] finds in it
//
//   - the error of the kernel: [syscall.EINVAL], [syscall.EPERM], which is [fs.ErrPermission], too,
//   - [ErrNotApplied], if the kernel has set something else without an error, such as fewer CPUs,
//   - [ErrNotLocked], if the goroutine is not locked to its thread,
//   - [errors.ErrUnsupported], if the system, or this package on it, does not have the property.
//
// # Threads and goroutines
//
// A property belongs to a thread, and a goroutine may leave its thread at any moment. So the
// functions that set one need [runtime.LockOSThread], as on a Thread of package thread. They check
// that, in some microseconds. The others report of the thread on which they happen to run.
//
// A property lasts until it is changed or the thread ends. A locked goroutine that ends takes its
// thread with it; one that unlocks leaves a changed thread to all goroutines of the program. The Go
// runtime starts no thread from a locked one, so properties do not spread. A child process that is
// started on the thread inherits affinity, priority and blocked signals.
//
//	property      Linux    Windows                     macOS, FreeBSD, NetBSD
//	name          yes      since Windows 10, 1607      yes; FreeBSD: it can be set and not read
//	affinity      yes      within a processor group    no
//	nice          yes      rounded to six priorities   no
//	real time     yes      one priority                no
//	signals       yes      no                          no
package osthread

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/threadcall/threadcall/internal/ident"
)

// ErrNotApplied is wrapped if the kernel has reported success, and the thread has something else.
var ErrNotApplied = errors.New("osthread: the kernel has set something else")

// ErrNotLocked is wrapped if the goroutine that sets a property is not locked to its thread.
var ErrNotLocked = errors.New("osthread: the goroutine is not locked to its thread")

// ID returns the number of the thread in the operating system, as in ps -L, gdb and strace, which
// is also the one that thread.SlowCall and the page of package recorderhttp show. It is zero where
// it is not known: on OpenBSD, js/wasm and others where that needs C.
func ID() uint64 { return ident.Thread() }

// SetName sets the name of the thread, which debuggers show, on Linux also ps -L, top -H and
// /proc/self/task/*/comm. Linux cuts it after 15 bytes, FreeBSD after 19, NetBSD after 31, macOS
// after 63; then the error is ErrNotApplied. FreeBSD cannot report it, so nothing is compared
// there. A zero byte is EINVAL. On Linux the main thread's name is the process's.
func SetName(name string) error {
	wrong := ""
	if strings.ContainsRune(name, 0) {
		wrong = "a name with a zero byte"
	}
	return names.change("Name", name, wrong)
}

// Name returns the thread's name.
func Name() (string, error) { return names.read("Name") }

// SetAffinity restricts the thread to these CPUs, which are numbered from 0 as the system does. The
// kernel leaves out CPUs that the cpuset of the cgroup does not allow: then the error is
// ErrNotApplied. If none remains, or none is given, it is EINVAL.
//
// On Windows all must be in one processor group; CPU n is n%64 of group n/64 (32 on 32 bits).
func SetAffinity(cpus ...int) error {
	want, wrong := slices.Compact(slices.Sorted(slices.Values(cpus))), ""
	if len(want) == 0 || want[0] < 0 || want[len(want)-1] >= maxCPUs {
		wrong = fmt.Sprintf("at least one CPU, from 0 to %d", maxCPUs-1)
	}
	return affinities.change("Affinity", want, wrong)
}

const maxCPUs = 1 << 16

// Affinity returns the CPUs to which the thread is restricted, in ascending order.
func Affinity() ([]int, error) { return affinities.read("Affinity") }

// SetNice sets the niceness of the thread, from -20, the highest priority, to 19. The kernel limits
// other values to that range: then the error is ErrNotApplied. Lowering it needs CAP_SYS_NICE or
// RLIMIT_NICE on Linux. It has no effect under a real-time priority.
//
// In POSIX a process has one niceness; on Linux each thread has its own. Windows has six priorities
// for -20, -10, 0, 10, 15 and 19; there n is rounded to the nearest.
func SetNice(n int) error { return nices.change("Nice", n, "") }

// Nice returns the thread's niceness.
func Nice() (int, error) { return nices.read("Nice") }

// SetRealtime gives the thread a real-time priority, from 1 to 99: on Linux SCHED_FIFO, which needs
// CAP_SYS_NICE or RLIMIT_RTPRIO. The thread then runs before all threads without one for as long as
// it does not block. So it must not spin or compute for long. 0 makes the thread normal again.
//
// On Windows all priorities are THREAD_PRIORITY_TIME_CRITICAL, and 0 is THREAD_PRIORITY_NORMAL.
func SetRealtime(priority int) error {
	wrong := ""
	if priority < 0 || priority > 99 {
		wrong = "a priority is from 1 to 99, or 0"
	}
	return realtimes.change("Realtime", priority, wrong)
}

// Realtime returns the thread's real-time priority, 0 if it has none. On Windows it is 99 for any.
func Realtime() (int, error) { return realtimes.read("Realtime") }

// SetBlockedSignals has the thread block these signals and no others. A signal for the process then
// goes to another thread; one for this thread waits. To block a signal besides:
//
//	before, err := osthread.BlockedSignals()
//	err = osthread.SetBlockedSignals(append(before, syscall.SIGTERM)...)
//
// The handler of the Go runtime runs on the thread at which a signal arrives, so blocking a signal
// on one thread does not keep it from [os/signal]. Without SIGURG a function is not interrupted,
// even for a garbage collection, without SIGPROF not profiled.
//
// SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP, which become panics in Go and would end the process
// if they were blocked, and 32 and 33, which are the C library's, are EINVAL, and nothing changes.
// SIGKILL and SIGSTOP cannot be blocked: they are ErrNotApplied.
func SetBlockedSignals(signals ...syscall.Signal) error {
	want, wrong := slices.Compact(slices.Sorted(slices.Values(signals))), ""
	for _, s := range want {
		if slices.Contains(unblockable, s) {
			wrong = fmt.Sprintf("the process needs %v (%d)", s, s)
		}
	}
	return masks.change("BlockedSignals", want, wrong)
}

// BlockedSignals returns the signals that the thread blocks, in ascending order.
func BlockedSignals() ([]syscall.Signal, error) { return masks.read("BlockedSignals") }

// The properties. The files for the systems set those that they have.
var (
	names      property[string]
	affinities property[[]int] // ascending
	nices      property[int]
	realtimes  property[int]
	masks      property[[]syscall.Signal] // ascending

	unblockable []syscall.Signal
)

type property[T any] struct {
	set   func(T) error
	get   func() (T, error) // nil if it can only be set
	round func(T) T         // what set makes of a value; nil if it is to set that
}

// change sets the property to want, for the function Set and name. It does not if want is wrong.
func (p property[T]) change(name string, want T, wrong string) error {
	call := "Set" + name + "(" + text(want) + ")"
	switch {
	case wrong != "":
		return fmt.Errorf("osthread: %s: %s: %w", call, wrong, syscall.EINVAL)
	case p.set == nil:
		return unsupported(call)
	case !locked():
		return fmt.Errorf("%w: %s needs a thread.Thread, or runtime.LockOSThread", ErrNotLocked, call)
	}
	failed := p.set(want)
	if p.get == nil {
		return of(call, failed)
	}
	has, err := p.get()
	if err != nil {
		return fmt.Errorf("osthread: %s: asking the kernel afterwards: %w",
			call, errors.Join(failed, err))
	}
	if p.round != nil {
		want = p.round(want)
	}
	switch {
	case failed != nil:
		return fmt.Errorf("osthread: %s: %w; the thread has %s", call, failed, text(has))
	case text(has) != text(want):
		return fmt.Errorf("%w: %s; the thread has %s", ErrNotApplied, call, text(has))
	}
	return nil
}

func (p property[T]) read(call string) (T, error) {
	if p.get == nil {
		var zero T
		return zero, unsupported(call)
	}
	v, err := p.get()
	return v, of(call, err)
}

// of returns err, which may be nil, as that of a call.
func of(call string, err error) error {
	if err != nil {
		err = fmt.Errorf("osthread: %s: %w", call, err)
	}
	return err
}

func unsupported(call string) error {
	return of(call, fmt.Errorf("%w on %s", errors.ErrUnsupported, runtime.GOOS))
}

// locked reports whether the goroutine is locked to its thread, or that is not known.
func locked() bool { return ident.Locked() || !determined() }

// determined reports whether ident.Locked recognises a lock, as another Go might not have it.
var determined = sync.OnceValue(func() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return ident.Locked()
})

func failed(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

// text is a value of a property as the errors show it.
func text(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	numbers := strings.Trim(fmt.Sprintf("%d", v), "[]")
	return cmp.Or(strings.ReplaceAll(numbers, " ", ", "), "none")
}
