//go:build !linux

package clock

import "time"

// shared is empty: an Alarm has a timer of its own.
type shared struct{}

func (shared) share(time.Duration) bool { return false }

func (shared) unshare() {}

// CPUTime is false: this system has no clock of the process's CPU time that is fine enough.
func CPUTime() (d time.Duration, ok bool) { return 0, false }
