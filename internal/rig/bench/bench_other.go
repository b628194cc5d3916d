//go:build !linux

package bench

// LoneBound is for Linux.
func LoneBound(int) (Result, bool) { return Result{}, false }
