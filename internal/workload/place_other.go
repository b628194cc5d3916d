//go:build !linux

package workload

import "fmt"

const near, far = 0, 0

func place(how string) error {
	return fmt.Errorf("%s=%s: this system does not hold threads on cores", placement, how)
}

func pin(int) error { return nil }

// Everywhere runs f.
func Everywhere(f func()) { f() }

func loneFloor(Extent, int) (Result, bool) { return Result{}, false }
