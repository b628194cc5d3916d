package engine

import (
	"runtime"

	"github.com/threadcall/threadcall/internal/ident"
)

// endsThread is whether a goroutine that ends while it is locked to its thread may take the thread
// with it. On FreeBSD and OpenBSD that can crash the runtime (golang/go#52394, open), so the thread
// goes back to the scheduler instead.
const endsThread = runtime.GOOS != "freebsd" && runtime.GOOS != "openbsd"

// mainThread is the number of the process's main thread, on which package variables are
// initialised, or zero.
var mainThread = ident.Thread()

// goLocked starts a goroutine that locks its thread, 1 + spareLocks times, and runs f. The thread
// is not the main thread. Go cannot end that one, so what functions do to it, such as entering a
// namespace, would last as long as the process; and on Linux /proc/self is the main thread's.
func goLocked(f func()) {
	go func() {
		lock(1 + spareLocks)
		if mainThread == 0 || ident.Thread() != mainThread {
			f()
			return
		}
		locked := make(chan struct{})
		go func() {
			lock(1 + spareLocks)
			close(locked)
			f()
		}()
		<-locked // until then this goroutine holds the main thread, so the other one is elsewhere
		unlock(1 + spareLocks)
	}()
}
