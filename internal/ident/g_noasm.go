//go:build threadcall_noasm

package ident

// G is the number of the running goroutine without assembly, which takes a microsecond.
func G() uintptr { return uintptr(Goroutine()) }

func ReadM() uintptr { return 0 }

const readsM = false

func unnumbered() uint64 { return Thread() }
