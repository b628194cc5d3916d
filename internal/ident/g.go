// Package ident answers "who is asking?": which goroutine is running, and on which thread of the operating system.
package ident

// G identifies the running goroutine for as long as it lives. It is the address of the runtime's g, which every Go
// port keeps in a register or in thread-local storage, so that asking costs a load; nothing here ever follows it. The
// runtime reuses a g when its goroutine has ended: a saved value must be forgotten before that.
//
// A C function that calls back into Go returns to the goroutine that called C. A coroutine of iter.Pull is a
// goroutine of its own although it may share the caller's thread; Thread tells those.
func G() uintptr
