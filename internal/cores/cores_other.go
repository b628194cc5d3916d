//go:build !linux

// Package cores has how many cores the process may use.
package cores

import "runtime"

func Yield() {}

// Usable returns on how many cores the process may run, as far as that is known.
func Usable() int { return runtime.NumCPU() }

// Runnable returns false: how many threads run is not known.
func Runnable() (threads, cores int, ok bool) { return 0, 0, false }
