package osthread

import "golang.org/x/sys/windows"

func id() uint64 { return uint64(windows.GetCurrentThreadId()) }
