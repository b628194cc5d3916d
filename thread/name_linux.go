package thread

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// setName names the calling thread. If the kernel has no names, the thread has none.
func setName(name string) {
	var b [maxName + 1]byte // ends with a zero
	copy(b[:maxName], name)
	_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&b)), 0, 0, 0)
}
