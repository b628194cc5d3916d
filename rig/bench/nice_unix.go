//go:build unix

package bench

import "syscall"

// resetNice gives the calling thread niceness 0, if this process may.
func resetNice() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 0) }
