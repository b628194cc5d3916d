//go:build threadcall_noasm

package ident

// G identifies the running goroutine. Without assembly it is the goroutine's number, which takes a
// microsecond.
func G() uintptr { return uintptr(Goroutine()) }

func ReadM() uintptr { return 0 }

const readsM = false

func unnumbered() uint64 { return Thread() }
