package ident

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
)

// Goroutine returns the number of the calling goroutine, which no other goroutine of the process
// has or will have. The runtime reports it in stack traces only, so it takes a microsecond or more.
// Should a release of Go write those differently, it is a number that no other living goroutine
// has.
func Goroutine() uint64 {
	b := buffers.Get().(*[64]byte) //threadcall:alloc when the pool is empty
	defer buffers.Put(b)
	trace := bytes.TrimPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(trace, []byte(" "))
	text := string(number) //threadcall:alloc at most 32 bytes, which fit on the stack
	if id, err := strconv.ParseUint(text, 10, 64); err == nil {
		return id
	}
	return unnumbered()
}

// buffers are for the beginnings of stack traces.
var buffers = sync.Pool{New: func() any { return new([64]byte) }}

// Locked reports whether the calling goroutine is locked to its thread. It takes as long. Should a
// release of Go write stack traces differently, it is false, and the lock of a host that functions
// have unlocked too often is not made anew.
func Locked() bool {
	// The first line of its stack trace, and some more.
	var b [100]byte //threadcall:alloc where the runtime's stack trace is read
	first, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte("\n"))
	return bytes.Contains(first, []byte("locked to thread"))
}
