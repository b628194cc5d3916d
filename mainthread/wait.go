package mainthread

// Wait is the wait of an event loop on the main thread: it calls block, which waits for native events, and then runs what is queued. It
// returns false when the function given to Init has ended, and panics off the main
// thread and for a nil block. See [thread.Thread.Wait].
//
//	mainthread.OnWake(glfw.PostEmptyEvent)
//	for mainthread.Wait(glfw.WaitEvents) {
//	}
func Wait(block func()) bool { return main.Wait(block) }
