// Package threadcall is the root of a module that runs functions on the operating system's thread that they belong to: the main
// thread, or any other. It has no code; the packages are
//
//   - [github.com/threadcall/threadcall/thread]: threads that run functions, and pools of them
//   - [github.com/threadcall/threadcall/mainthread]: the main thread as such a thread, with or without an event loop
//   - [github.com/threadcall/threadcall/keyed]: one thread for each key, made on demand
//   - [github.com/threadcall/threadcall/recorder]: a program records an execution trace of itself
//
// A call does not allocate, runs in place when it is made on the thread, and passes on panics and Goexit:
//
//	func main() { mainthread.Init(run) } // serves the main thread while run runs elsewhere
//
//	func run() {
//		title := mainthread.CallV(window.Title)    // on the main thread, returns after it
//		gl := thread.New(thread.WithName("gl"))    // another thread, for a context of its own
//		gl.Go(func() { draw(title) })              // some time later
//	}
//
// Two modules depend on this one: [github.com/threadcall/threadcall/app] opens windows, and the command
// [github.com/threadcall/threadcall/cmd/threadcall] measures and traces Go programs. This one depends on the standard library
// alone. CONTRIBUTING.md has the supported versions of Go and systems.
package threadcall
