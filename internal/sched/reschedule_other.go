//go:build !unix

package sched

func pass(bool) bool { return false }

// Passing is false.
func Passing() bool { return false }

// EndPass does nothing.
func EndPass() {}
