//go:build !linux

package bench

import (
	"errors"
	"fmt"
)

const near, far = 0, 0

func place(how string) error {
	return fmt.Errorf("%s=%s: this system does not hold threads on cores", placement, how)
}

func pin(int) error { return nil }

func everywhere(f func()) { f() }

func loneBound(int, int) (Result, bool) { return Result{}, false }

// Tracer is for Linux.
func Tracer(Subject, int) (Result, error) {
	return Result{}, errors.New("ptrace is tried on Linux only")
}
