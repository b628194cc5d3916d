package meter

import (
	"syscall"
	"time"
	"unsafe"
)

var (
	kernel32  = syscall.NewLazyDLL("kernel32.dll")
	counter   = kernel32.NewProc("QueryPerformanceCounter")
	frequency = func() (hz int64) {
		kernel32.NewProc("QueryPerformanceFrequency").Call(uintptr(unsafe.Pointer(&hz)))
		return hz
	}()
)

// Now is the time on a clock of its own: that of time.Now stands still for half a millisecond and more.
func Now() time.Duration {
	var ticks int64
	counter.Call(uintptr(unsafe.Pointer(&ticks)))
	seconds, rest := ticks/frequency, ticks%frequency
	return time.Duration(seconds)*time.Second + time.Duration(rest)*time.Second/time.Duration(frequency)
}
