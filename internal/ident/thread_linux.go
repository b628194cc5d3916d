package ident

import "syscall"

// Thread returns the operating system's number of the calling thread, by a system call.
func Thread() uint64 { return uint64(syscall.Gettid()) }
