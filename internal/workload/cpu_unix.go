//go:build unix

package workload

import (
	"syscall"
	"time"
)

// CPUTime returns for how long this process has computed, on all cores together.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// unNice gives the calling thread the usual priority, if this process may.
func unNice() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 0) }
