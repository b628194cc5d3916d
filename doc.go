// Package threadcall is the root of a module that runs functions on the operating system's thread
// that they belong to: the main thread, or any other. It has no code; the packages are
//
//   - [github.com/threadcall/threadcall/thread]: threads that run functions, and pools of them
//   - [github.com/threadcall/threadcall/mainthread]: the main thread, with or without an event loop
//   - [github.com/threadcall/threadcall/keyed]: one thread for each key, made on demand
//   - [github.com/threadcall/threadcall/osthread]: name, affinity, priority, signals of a thread
//   - [github.com/threadcall/threadcall/recorder]: execution traces that a program makes of itself;
//     recorder/recorderhttp: metrics, and a page of all threads
//
// A call does not allocate, runs in place when it is made on the thread, and passes on panics and
// Goexit:
//
//	func main() { mainthread.Init(run) } // serves the main thread while run runs elsewhere
//
//	func run() {
//		mainthread.Call(window.Show)            // on the main thread, returns after it
//		gl := thread.New(thread.WithName("gl")) // another thread, for a context of its own
//		gl.Go(func() { draw("hello") })         // some time later
//	}
//
// Other modules of the repository depend on this one: [github.com/threadcall/threadcall/nativeloop]
// serves a thread inside a toolkit's event loop, [github.com/threadcall/threadcall/app] opens
// windows, the command [github.com/threadcall/threadcall/cmd/threadcall] measures and looks into Go
// programs, compat stands in for other packages, such as github.com/gopxl/mainthread, and examples
// has programs to copy from. This one depends on the standard library alone: internal/engine serves
// a thread, with internal/callq, freelist, ident and park below it; module rig measures and tests
// it. docs/design.md has the map, CONTRIBUTING.md the supported versions of Go and systems.
package threadcall
