package clock

import (
	"syscall"
	"time"
	"unsafe"
)

// CPUTime returns the CPU time of the process, in 0.5 µs. It is false if that is not reported.
func CPUTime() (d time.Duration, ok bool) {
	const processClock = 2
	var ts syscall.Timespec
	_, _, errno := syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, processClock, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano()), errno == 0
}
