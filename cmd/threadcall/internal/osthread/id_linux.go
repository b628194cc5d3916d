package osthread

import "golang.org/x/sys/unix"

func id() uint64 { return uint64(unix.Gettid()) }
