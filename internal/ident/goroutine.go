package ident

import (
	"bytes"
	"runtime"
	"strconv"
)

// Goroutine returns the number of the calling goroutine, which no other goroutine of the process has or will have, or
// zero if it cannot be told. The runtime tells it in stack traces only, so it takes a microsecond or more.
func Goroutine() uint64 {
	var b [64]byte
	number, _, _ := bytes.Cut(bytes.TrimPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine ")), []byte(" "))
	id, _ := strconv.ParseUint(string(number), 10, 64)
	return id
}

// Locked tells whether the calling goroutine is locked to its thread. It takes as long.
func Locked() bool {
	var b [100]byte // the first line of its stack trace, and some more
	first, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte("\n"))
	return bytes.Contains(first, []byte("locked to thread"))
}
