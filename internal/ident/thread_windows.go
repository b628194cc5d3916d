package ident

import "syscall"

var getCurrentThreadId = syscall.NewLazyDLL("kernel32.dll").NewProc("GetCurrentThreadId")

func Thread() uint64 {
	id, _, _ := syscall.SyscallN(getCurrentThreadId.Addr())
	return uint64(id)
}
