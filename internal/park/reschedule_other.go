//go:build !unix

package park

func pass(bool) bool { return false }

// Passing is false.
func Passing() bool { return false }

// EndPass does nothing.
func EndPass() {}
