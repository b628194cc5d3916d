package park

import (
	"syscall"
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
