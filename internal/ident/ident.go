// Package ident reports which goroutine is running, and on which thread of the operating system.
//
//	G          the goroutine, in a nanosecond
//	M          the thread, in two; a coroutine has the M of the goroutine that resumed it
//	Goroutine  the goroutine, by a number that is never used again, in a microsecond
//	Thread     the operating system's number of the thread, by a system call
//
// G and M are two instructions each: they read the g that every port keeps in a register or in
// thread-local storage, and a word of it. G is sound because the assembler names the register: a
// port that moved its g would move the name with it. M depends on the offset of m in g; in any
// release it reads inside of g. Trusted tests M in every process before the first thread is used.
// If the test fails, M is the system's number of the thread, slower and never wrong; so it is with
// the build tag threadcall_noasm, which leaves out the assembly.
package ident

import (
	"bytes"
	"iter"
	"os"
	"runtime"
	"strconv"
	"sync"
)

// oneThread is whether all goroutines share a thread. M is G then; coroutines are not recognised.
const oneThread = runtime.GOARCH == "wasm"

// M identifies the thread that the caller is on, while that thread lives and the caller's
// goroutine is locked to it. It is the address of the runtime's m. The runtime uses an m again when
// its thread has ended: a saved value must be forgotten before that. A goroutine that is not locked
// may be on another thread before it can look at the result.
//
// Trusted must have been called before.
func M() uintptr {
	if byNumber {
		return number()
	}
	return ReadM()
}

// byNumber is whether M is number, and not ReadM. Trusted does not write what it is already: Adopt
// asks whether its goroutine is on a thread, and so for M, while another may make the first one.
var byNumber = oneThread || !readsM

// number is M where the runtime's m cannot be read: the operating system's number of the thread.
func number() uintptr {
	if id := Thread(); id != 0 && !oneThread {
		return uintptr(id)
	}
	return G() // js/wasm; OpenBSD without assembly
}

// Trusted tests M the first time that it is called, before any thread is used, and from then on
// reports whether M is ReadM. If that does not distinguish threads, M asks the operating system.
func Trusted() bool {
	test.Do(func() {
		if !byNumber && !tellsThreadsApart(ReadM) {
			byNumber = true
		}
	})
	return !byNumber
}

var test sync.Once

// tellsThreadsApart tests m on three goroutines: the caller, locked to its thread, for which m must
// not change; another, on another thread; and a coroutine, with another g on the caller's thread.
func tellsThreadsApart(m func() uintptr) bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	type identity struct{ g, m uintptr }
	look := func() identity { return identity{G(), m()} }
	mine := look()
	c := make(chan identity)
	go func() { c <- look() }()
	other := <-c // the caller was parked meanwhile, and has come back to its thread
	next, stop := iter.Pull(func(yield func(identity) bool) { yield(look()) })
	defer stop()
	coroutine, _ := next()
	return mine.g != 0 && other.g != 0 && other.g != mine.g && coroutine.g != mine.g &&
		mine.m != 0 && other.m != 0 && other.m != mine.m && coroutine.m == mine.m && look() == mine
}

// MainThread returns the number of the process's main thread on Linux, in a plugin and in a library
// for C programs, too. It is zero on other systems.
func MainThread() uint64 {
	if runtime.GOOS == "linux" || runtime.GOOS == "android" {
		return uint64(os.Getpid())
	}
	return 0
}

// Goroutine returns the number of the calling goroutine, which no other goroutine of the process
// has or will have. The runtime reports it in stack traces only, so it takes a microsecond or more.
// Should a release of Go change those, no other living goroutine has the number.
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
// release of Go change stack traces, it is false, and a host's lock is not made anew.
func Locked() bool {
	// The first line of its stack trace, and some more.
	var b [100]byte //threadcall:alloc where the runtime's stack trace is read
	first, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte("\n"))
	return bytes.Contains(first, []byte("locked to thread"))
}
