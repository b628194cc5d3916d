// Package cores has which cores the process may use, and how many.
package cores

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Usable returns how many cores the process may use: by its affinity mask when it started, and by
// the CPU quota of the control groups at this moment. One and a half cores count as one. It is zero
// for the 0.1 ms until the quota is known.
func Usable() int { return min(granted(), runtime.NumCPU()) }

// Yield lets other threads have the core, if they want it.
func Yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// Affinity reads the affinity mask of the calling thread, and returns how many bytes it has.
func Affinity(mask []uint) (bytes int, errno syscall.Errno) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, size(mask),
		uintptr(unsafe.Pointer(&mask[0])))
	return int(n), errno
}

// SetAffinity sets the affinity mask of a thread, of the calling one if that is zero.
func SetAffinity(thread int, mask []uint) syscall.Errno {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(thread), size(mask),
		uintptr(unsafe.Pointer(&mask[0])))
	return errno
}

func size(mask []uint) uintptr { return uintptr(len(mask)) * unsafe.Sizeof(mask[0]) }
