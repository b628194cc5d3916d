//go:build !linux

package park

import "time"

// CPU returns -1: which core the caller is on cannot be determined.
func CPU() int { return -1 }

// Yield does nothing.
func Yield() {}

// Cores returns on how many cores the process may run, as far as that is known.
func Cores() int { return maxCores }

// NoteCaller does nothing.
func NoteCaller() {}

// CPUTime is false: this system has no clock of the process's CPU time that is fine enough.
func CPUTime() (d time.Duration, ok bool) { return 0, false }
