//go:build !threadcall_noasm

package ident

import "unsafe"

func getg() unsafe.Pointer

// G identifies the running goroutine while it lives. It is the address of the runtime's g. The
// runtime uses a g again when its goroutine has ended: a saved value must be forgotten before that.
//
// A C function that calls back into Go returns to the goroutine that called C. A coroutine of
// iter.Pull is a goroutine of its own, on the thread of the one that resumed it; see M.
func G() uintptr { return uintptr(getg()) }

// ReadM reads the runtime's m. The offset is behind the two bounds of the stack, two stack guards,
// and the lists of panics and of deferred calls. Trusted finds out if it changes.
func ReadM() uintptr {
	const offset = 6 * unsafe.Sizeof(uintptr(0))
	return *(*uintptr)(unsafe.Add(getg(), offset))
}

const readsM = true

// unnumbered is Goroutine where stack traces do not show the number.
func unnumbered() uint64 { return uint64(G()) }
