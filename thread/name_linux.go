package thread

import (
	"syscall"
	"unsafe"
)

// setName names the calling thread. If the kernel has no names, the thread has none.
func setName(name string) {
	var b [maxName + 1]byte // ends with a zero
	copy(b[:maxName], name)
	syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_NAME, uintptr(unsafe.Pointer(&b)), 0)
}
