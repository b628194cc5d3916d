//go:build !linux

package cores

// Current returns -1: which core the caller is on cannot be determined.
func Current() int { return -1 }

func Yield() {}

// Usable returns on how many cores the process may run, as far as that is known.
func Usable() int { return atStart }

func NoteCaller() {}

// Runnable returns false: how many threads run is not known.
func Runnable() (threads, cores int, ok bool) { return 0, 0, false }
