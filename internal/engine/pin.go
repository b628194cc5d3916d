package engine

import (
	"bytes"
	"runtime"
)

// A thread is pinned to its goroutine by runtime.LockOSThread, which counts. A function that unlocks once too often
// must not unpin it, and the count cannot be read, so the engine locks many times more than needed. On its own
// threads it does so once, for life: the count must not change later, because a coroutine that one function leaves
// behind for another (iter.Pull) insists on finding it as it was.
//
// A host that has locked its goroutine before Adopt will unlock it when it is done, and expects its thread to live
// on. There the engine locks while it serves, and leaves the count as it was. The main goroutine stays locked for
// ever, as it should be while anything is left to do on the main thread.
const (
	spareLocks = 1 << 14 // 40 microseconds
	serveLocks = 1 << 6  // for the short time of a Serve
)

func lock(n int) {
	for range n {
		runtime.LockOSThread()
	}
}

func unlock(n int) {
	for range n {
		runtime.UnlockOSThread()
	}
}

// pinned tells whether the calling goroutine is locked to its thread, and whether it is the main goroutine, which is
// locked while init functions run and whose thread never ends.
func pinned() (locked, main bool) {
	var b [80]byte // the first line of its stack trace, and some more
	runtime.Stack(b[:], false)
	return bytes.Contains(b[:], []byte("locked to thread")), bytes.HasPrefix(b[:], []byte("goroutine 1 "))
}

// pin holds the thread while it serves for a host.
func (e *Engine) pin(n int) {
	e.serving++
	if e.pinned {
		lock(n)
	}
}

// unpin undoes pin. If functions have unlocked more often than they should, the host's own lock is restored.
func (e *Engine) unpin(n int) {
	e.serving--
	if e.pinned {
		unlock(n)
		if locked, _ := pinned(); !locked {
			lock(1)
		}
	}
	if e.serving == 0 && e.q.Closed() {
		e.unclaim()
	}
}

// unclaim gives an adopted thread back to its host for good, and forgets its goroutine, whose g the runtime may give to
// another one.
func (e *Engine) unclaim() {
	if e.own || e.main || e.g.Load() == 0 {
		return
	}
	e.g.Store(0)
	e.tid.Store(0)
	if !e.pinned {
		unlock(1 + spareLocks)
	}
}
