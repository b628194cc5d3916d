package park

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CPU returns the number of the core that the caller is on at this moment, or -1 if the kernel does not tell, as under a
// seccomp filter.
func CPU() int {
	var cpu uint32
	if _, _, errno := syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return -1
	}
	return int(cpu)
}

// CanYield is whether Yield does anything.
const CanYield = true

// Yield lets other threads have the core, if they want it. It is false if the kernel does not allow that.
func Yield() bool {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
	return errno == 0
}

// Reschedule makes the calling thread sleep for as short a time as the kernel can, some 60 µs, and returns the core that
// it is on then. The kernel chooses a core for each thread that wakes, and prefers an idle one to that on which another
// thread runs. Taking a core out of the thread's affinity mask for a moment would be surer and no slower, but it would
// undo what an administrator, or the program itself, sets in the same moment.
//
// Like Sleep, it does not tell the Go scheduler.
func Reschedule() int {
	ts := syscall.NsecToTimespec(int64(time.Microsecond))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	return CPU()
}
