// Package ident tells which goroutine is running, and on which thread of the operating system.
//
//	G          the goroutine, in a nanosecond
//	M          the thread, in two; a coroutine has the M of the goroutine that resumed it
//	Goroutine  the goroutine, by a number that is never used again, in a microsecond
//	Thread     the operating system's number of the thread, by a system call
package ident

import (
	"iter"
	"runtime"
	"sync"
)

// oneThread is whether all goroutines share a thread. M then is G, and a coroutine is not recognised.
const oneThread = runtime.GOARCH == "wasm"

// M identifies the thread that the caller is on, for as long as that thread lives and the caller's goroutine is locked
// to it. It is the address of the runtime's m. The runtime uses an m again when its thread has ended: a saved value must
// be forgotten before that. A goroutine that is not locked may be on another thread before it can look at the result.
//
// Trusted must have been called before.
func M() uintptr {
	if byNumber {
		return number()
	}
	return ReadM()
}

// byNumber is whether M is number, and not ReadM.
var byNumber bool

// number is M where the runtime's m cannot be read: the operating system's number of the thread.
func number() uintptr {
	if id := Thread(); id != 0 && !oneThread {
		return uintptr(id)
	}
	return G() // js/wasm; OpenBSD without assembly
}

// Trusted tests M the first time that it is called, and from then on tells whether M is ReadM. If that
// does not tell threads apart, because a release of Go has moved it, M asks the operating system instead.
func Trusted() bool {
	test.Do(func() { byNumber = oneThread || !readsM || !tellsThreadsApart() })
	return !byNumber
}

var test sync.Once

// tellsThreadsApart tests M on three goroutines: the caller, locked to its thread; another one, which therefore runs on
// another thread; and a coroutine, which runs on the caller's thread.
func tellsThreadsApart() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mine := ReadM()
	c := make(chan uintptr)
	go func() { c <- ReadM() }()
	other := <-c
	next, stop := iter.Pull(func(yield func(uintptr) bool) { yield(ReadM()) })
	defer stop()
	coroutine, _ := next()
	return mine != 0 && other != 0 && other != mine && coroutine == mine && ReadM() == mine
}
