package ident

import (
	"syscall"
	"unsafe"
)

func Thread() uint64 {
	var id int // a C long
	syscall.RawSyscall(syscall.SYS_THR_SELF, uintptr(unsafe.Pointer(&id)), 0, 0)
	return uint64(id)
}
