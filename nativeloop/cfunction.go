//go:build (darwin && !ios) || (linux && !android && (amd64 || arm64 || riscv64))

package nativeloop

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// A library has the addresses of functions and variables of a C library, by their names.
type library map[string]uintptr

// find returns those of the names in a library that purego has opened.
func find(opened uintptr, names ...string) (library, error) {
	l := library{}
	for _, name := range names {
		address, err := purego.Dlsym(opened, name)
		if err != nil {
			return nil, fmt.Errorf("%w; %w", ErrNoLoop, err)
		}
		l[name] = address
	}
	return l, nil
}

func (l library) call(function string, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(l[function], args...)
	return r
}
