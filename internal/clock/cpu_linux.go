package clock

import (
	"syscall"
	"time"
	"unsafe"
)

// CPUTime returns the CPU time of the process. That takes 0.5 µs. It is false if the system does
// not report it.
func CPUTime() (d time.Duration, ok bool) {
	const processClock = 2
	var ts syscall.Timespec
	_, _, errno := syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, processClock, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano()), errno == 0
}
