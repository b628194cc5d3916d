package thread

import "runtime"

// Wait is an event loop's wait: it calls block, which waits for native events, and then runs what is queued. So an event loop is
//
//	t.OnWake(glfw.PostEmptyEvent)
//	for t.Wait(glfw.WaitEvents) {
//	}
//
// Wait returns false at once if the thread has been terminated. If something is queued already it runs that instead, and returns without
// calling block, so that the loop can look whether it is to go on; but it calls block once a millisecond in any case, and begins
// no function when one has passed, so that a flood of posted functions does not delay native events for longer.
//
// With Wait, the thread knows when it waits. So the function that OnWake has set is called only when block has begun or is about
// to, and not while the thread runs something or has returned from Wait: what is queued then is run by the next Wait. A
// loop that also waits elsewhere must call Serve before that. And before block keeps a P from other
// goroutines, which native waits do for up to 10 ms, those that wait for this P run, the callers that functions have returned
// to among them.
//
// Functions and callbacks of block may call Wait, too. Wait may be called inside a function that runs on the thread. Panics and
// Goexit of block are the caller's.
//
// Wait panics if block is nil, or if the caller is not on the thread.
//
//threadcall:noalloc
func (t *Thread) Wait(block func()) bool {
	if block == nil {
		panic("thread: Wait of a nil function; give it the one that waits for native events, " +
			"or call Serve")
	}
	if !t.mayServe("Wait") {
		return false
	}
	ok := t.e.Wait(block)
	runtime.KeepAlive(t)
	return ok
}
