//go:build !linux

package park

// CPU returns -1: which core the caller is on cannot be told.
func CPU() int { return -1 }

// CanYield is whether Yield does anything.
const CanYield = false

// Yield does nothing.
func Yield() bool { return false }
