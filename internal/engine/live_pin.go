package engine

import (
	"runtime"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/ident"
)

// A thread is pinned to its goroutine by runtime.LockOSThread, which counts. A function that
// unlocks once too often must not unpin it, and the count cannot be read, so the engine locks many
// times more than needed. It does so once, until the thread is terminated: the count must not
// change before, because a coroutine that one function leaves behind for another (iter.Pull)
// insists on finding it as it was. So this is how many times functions may unlock too often while
// the thread lives, one of them or all together.
//
// A lock takes 2.5 nanoseconds. A thread of the engine's own may be made for a single call: for it
// they are a tenth of what the runtime needs to start and to end a thread. An adopted one, the main
// thread above all, lives long.
//
// If the host had locked its goroutine before Adopt, the engine gives back its own locks only. The
// host's UnlockOSThread still balances. The main goroutine stays locked for ever.
const (
	spareLocks        = 1 << 10
	spareLocksAdopted = 1 << 14
)

// A pin is the locks that Adopt has taken for a goroutine. Only that goroutine can give them back.
type pin struct {
	goid  uint64
	hosts bool // the host has locked its goroutine to the thread and will unlock it
	held  atomic.Bool
}

// locks returns how many the engine needs.
func (p *pin) locks() int {
	if p.hosts {
		return spareLocksAdopted
	}
	return 1 + spareLocksAdopted
}

// giveBack takes the locks away if the caller is the adopted goroutine, and reports whether it has
// done so.
func (p *pin) giveBack() bool {
	if p == nil || !p.held.Load() || ident.Goroutine() != p.goid ||
		!p.held.CompareAndSwap(true, false) {
		return false
	}
	unlock(p.locks())
	if p.hosts {
		if !ident.Locked() {
			// functions have unlocked the host's lock as well
			lock(1)
		}
	}
	return true
}

// oneThread is so where locking does nothing, but is counted for all goroutines together, so that a
// coroutine would not find the count as it was.
const oneThread = runtime.GOARCH == "wasm"

func lock(n int) {
	if oneThread {
		return
	}
	for range n {
		runtime.LockOSThread()
	}
}

func unlock(n int) {
	if oneThread {
		return
	}
	for range n {
		runtime.UnlockOSThread()
	}
}
