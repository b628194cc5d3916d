//go:build !linux

package workload

import "errors"

// Tracer is for Linux.
func Tracer(Subject, Extent) (Result, error) {
	return Result{}, errors.New("ptrace is tried on Linux only")
}
