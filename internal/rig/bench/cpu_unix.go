//go:build unix

package bench

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time of this process.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resetNice gives the calling thread niceness 0, if this process may.
func resetNice() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 0) }
