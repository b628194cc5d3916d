//go:build !linux

package park

// CPU returns -1: which core the caller is on cannot be determined.
func CPU() int { return -1 }

// Yield does nothing.
func Yield() {}

// Sleep does nothing.
func Sleep() {}

// Leave is false.
func Leave(int) bool { return false }
