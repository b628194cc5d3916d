//go:build !unix

package sched

// Reschedule is false.
func Reschedule(all bool) bool { return false }

// Passing is false.
func Passing() bool { return false }

// EndPass does nothing.
func EndPass() {}
