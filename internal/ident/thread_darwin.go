package ident

import "syscall"

// Thread returns the operating system's number of the calling thread. It costs a system call.
func Thread() uint64 {
	id, _, _ := syscall.RawSyscall(syscall.SYS_THREAD_SELFID, 0, 0, 0)
	return uint64(id)
}
