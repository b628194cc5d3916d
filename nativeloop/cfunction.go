//go:build (darwin && !ios) || (linux && !android && (amd64 || arm64 || riscv64))

package nativeloop

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// A cFunction is the address of a function, or of a variable, of a C library.
type cFunction uintptr

func (f cFunction) call(args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(uintptr(f), args...)
	return r
}

// find sets the functions to those of a library that have these names.
func find(library uintptr, functions map[string]*cFunction) error {
	for name, f := range functions {
		address, err := purego.Dlsym(library, name)
		if err != nil {
			return fmt.Errorf("%w; %w", ErrNoLoop, err)
		}
		*f = cFunction(address)
	}
	return nil
}
