package cores

import (
	"syscall"
	"unsafe"
)

// Current returns the number of the core that the caller is on at this moment, or -1 if the kernel
// does not report it, as under a seccomp filter.
func Current() int {
	var cpu uint32
	if _, _, errno := syscall.RawSyscall(sysGetcpu, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return -1
	}
	return int(cpu)
}

// Yield lets other threads have the core, if they want it.
func Yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
