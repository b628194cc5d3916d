//go:build unix

package meter

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time of this process, or zero.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
