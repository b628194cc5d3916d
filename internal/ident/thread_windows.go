package ident

import "golang.org/x/sys/windows"

// Thread returns the operating system's number of the calling thread.
func Thread() uint64 { return uint64(windows.GetCurrentThreadId()) }
