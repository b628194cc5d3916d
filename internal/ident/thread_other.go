//go:build !linux && !windows

package ident

// Thread returns zero: the operating system's number of the calling thread cannot be told without C here.
func Thread() uint64 { return 0 }
