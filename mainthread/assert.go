package mainthread

// Assert panics unless the caller is on the main thread, with an error that names the caller's place and what to write instead.
// See [thread.Thread.Assert].
//
//threadcall:noalloc
func Assert() { main.Assert() }
