package park

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CPU returns the number of the core that the caller is on at this moment.
func CPU() int {
	var cpu uint32
	syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return int(cpu)
}

// Yield lets other threads have the core, if they want it.
func Yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// cpuSet is a set of cores as large as the kernel's largest.
type cpuSet [1024 / wordBits]uintptr

const wordBits = 8 * int(unsafe.Sizeof(uintptr(0)))

// LeaveCore moves the calling thread to another core than cpu, if it may use another, and returns where it is. The
// set of cores that it may use is the same afterwards.
func LeaveCore(cpu int) int {
	var allowed cpuSet
	size, _, errno := syscall.RawSyscall(unix.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(allowed),
		uintptr(unsafe.Pointer(&allowed)))
	if errno != 0 || cpu/wordBits >= len(allowed) {
		return cpu
	}
	others := allowed
	others[cpu/wordBits] &^= 1 << (cpu % wordBits)
	// No cores left, or a sandbox that forbids it: an error, and nothing has changed.
	_, _, errno = syscall.RawSyscall(unix.SYS_SCHED_SETAFFINITY, 0, size, uintptr(unsafe.Pointer(&others)))
	if errno == 0 {
		syscall.RawSyscall(unix.SYS_SCHED_SETAFFINITY, 0, size, uintptr(unsafe.Pointer(&allowed)))
	}
	return CPU()
}
