// Package pin pins goroutines to threads of the operating system, so that a function which unlocks
// its thread once too often does not unpin it.
package pin

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/ident"
)

// A thread is pinned to its goroutine by runtime.LockOSThread, which counts. A function that
// unlocks once too often must not unpin it, and the count cannot be read, so the goroutine locks
// many times more than needed, once: a coroutine that one function leaves behind for another
// (iter.Pull) insists on the same count. So this is how many times all functions together may
// unlock too often.
//
// A lock takes 2.5 ns: for a thread that is made for a single call, a tenth of its start and end.
const (
	Spare        = 1 << 10
	spareAdopted = 1 << 14
)

// EndsThread is whether a goroutine that ends while it is locked to its thread may take the thread
// with it. On FreeBSD and OpenBSD that can crash the runtime (golang/go#52394, open), so the thread
// goes back to the scheduler instead.
const EndsThread = runtime.GOOS != "freebsd" && runtime.GOOS != "openbsd"

// mainThread is the number of the main thread, which initialises package variables, or zero.
var mainThread = cmp.Or(ident.MainThread(), ident.Thread())

// Go starts a goroutine that locks its thread, 1 + Spare times, and runs f. The thread is not the
// main thread. Go cannot end the main thread, so changes to it, such as another namespace, would
// last as long as the process; and on Linux /proc/self is the main thread's.
func Go(f func()) {
	go func() {
		Lock(1)
		if mainThread == 0 || ident.Thread() != mainThread {
			Lock(Spare)
			f()
			return
		}
		begun := make(chan struct{})
		Go(func() { close(begun); f() })
		<-begun // until then this goroutine holds the main thread, so the other one is elsewhere
		Unlock(1)
	}()
}

// A Pin is the locks that Adopt has taken for a goroutine. Only that goroutine can give them back.
type Pin struct {
	Goroutine uint64 // its number
	Undo      func() // that GiveBack calls before, or nil
	hosts     bool   // the host has locked its goroutine to the thread and will unlock it
	held      atomic.Bool
}

// Adopt pins the calling goroutine to its thread, for ever if so asked. If its host has locked it
// before, as the runtime does for init functions, GiveBack gives back the package's own locks only.
func Adopt(forever bool) *Pin {
	p := &Pin{Goroutine: ident.Goroutine(), hosts: !forever && ident.Locked()}
	Lock(p.locks())
	p.held.Store(!forever)
	return p
}

func (p *Pin) locks() int {
	if p.hosts {
		return spareAdopted
	}
	return 1 + spareAdopted
}

// Held reports whether there are locks to be given back.
func (p *Pin) Held() bool { return p != nil && p.held.Load() }

// GiveBack takes the locks away and returns true if the caller is the adopted goroutine.
func (p *Pin) GiveBack() bool {
	if !p.Held() || ident.Goroutine() != p.Goroutine || !p.held.CompareAndSwap(true, false) {
		return false
	}
	if p.Undo != nil {
		p.Undo()
	}
	Unlock(p.locks())
	if p.hosts && !ident.Locked() { // functions have unlocked the host's lock as well
		Lock(1)
	}
	return true
}

// oneThread is true where locks do nothing, but all goroutines share a count that coroutines check.
const oneThread = runtime.GOARCH == "wasm"

// Lock locks the calling goroutine to its thread n times.
func Lock(n int) {
	if oneThread {
		return
	}
	for range n {
		runtime.LockOSThread()
	}
}

// Unlock undoes n locks.
func Unlock(n int) {
	if oneThread {
		return
	}
	for range n {
		runtime.UnlockOSThread()
	}
}
