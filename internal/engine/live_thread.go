package engine

import "github.com/threadcall/threadcall/internal/ident"

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
