package meter

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time of this process, or zero.
func CPUTime() time.Duration {
	var creation, exit, kernel, user syscall.Filetime
	process, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(process, &creation, &exit, &kernel, &user) != nil {
		return 0
	}
	return span(kernel) + span(user)
}

// span returns a duration that Windows counts in 100 ns.
func span(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
