//go:build !linux

package park

// Cores returns on how many cores the process may run, as far as that is known.
func Cores() int { return maxCores }

// NoteCaller does nothing.
func NoteCaller() {}
