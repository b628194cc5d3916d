//go:build !linux

package bench

import (
	"errors"
)

func loneBound(Extent, int) (Result, bool) { return Result{}, false }

// Tracer is for Linux.
func Tracer(Subject, Extent) (Result, error) {
	return Result{}, errors.New("ptrace is tried on Linux only")
}
