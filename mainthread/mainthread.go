// Package mainthread runs functions on the main thread of the process, for Cocoa, Win32, GLFW, SDL.
//
//	func main() { mainthread.Init(run) }
//
//	func run() { // what would be main; it runs on a goroutine of its own
//		mainthread.Call(window.Show)               // returns after it
//		title := mainthread.MustEval(window.Title) // the same, with a result
//		mainthread.Go(window.Redraw)               // some time later
//		mainthread.Thread().Every(tick, game.Step) // and all else that a Thread does
//	}
//
// Importing the package locks the main goroutine to the main thread. The main thread is a
// [thread.Thread], and what package thread promises of a call holds here.
//
// On the main thread calls run in place: before Init, in init functions, too, and after Init, in
// the deferred calls of main. Posted functions and the calls of other goroutines wait for Init.
// When the function given to Init has ended, they return false.
//
// A program that forgets Init waits for ever. If a call has waited for five seconds for a thread
// that nothing serves, this one or another that is adopted, a line on standard error says what to
// do, once for each thread. Any value of the environment variable THREADCALL_INIT_WARNING, such as
// off, silences it. In a test binary TestMain calls Init:
//
//	func TestMain(m *testing.M) {
//		mainthread.Init(func() { os.Exit(m.Run()) })
//	}
//
// An event loop on the main thread, also one in a Call, needs [Loop] or package nativeloop.
//
// In a library for C programs (go build -buildmode c-shared or c-archive) the main goroutine is not
// on the main thread of the process, and ends after the init functions. So calls return false
// there, and Init panics; without build information, and not on Linux, calls wait for five seconds
// first. An exported function that the host calls on its main thread can call [thread.Adopt]. A
// plugin (-buildmode plugin) shares the package with the program that opens it, if that imports the
// package; otherwise calls return false, and Init panics.
package mainthread

import (
	"context"
	"flag"
	"fmt"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

var started atomic.Bool

// Init runs fn, the real main function, on a goroutine of its own and serves the main thread until
// fn has returned or called [runtime.Goexit]. The main goroutine calls it, once.
//
// # The end of the process
//
// A panic in fn ends the process, as in main.
//
// If a function on the main thread has called Goexit, as t.Fatal and t.Skip of a test do, the main
// goroutine must end, although the thread continues. When fn has ended, the deferred calls of main
// run, Init does not return, and the process ends, with a line on standard error: with status 2 if
// it is a test binary, and 0 otherwise. A status that matters is set in fn, by [os.Exit].
//
// # Panics
//
// Init panics if fn is nil, if it is called a second time, off the main goroutine or after Close of
// [Loop]. But in the tests of a package whose TestMain runs under Init, it runs fn in place.
func Init(fn func()) {
	switch {
	case fn == nil:
		panic(fmt.Errorf("%w: mainthread.Init", thread.ErrNil))
	case host != "":
		panic("mainthread: Init in " + host)
	case started.Load() && !access.Terminated(main) && inTests() && flag.Parsed(): // by testing.M.Run
		fn()
		return
	case !main.On():
		panic("mainthread: Init off the main goroutine; call it first thing in func main, or in TestMain")
	case !started.CompareAndSwap(false, true):
		panic("mainthread: Init called twice; call it once, from func main")
	case access.Terminated(main):
		panic("mainthread: Init after Loop().Close(), which has ended the loop")
	}
	ended := make(chan struct{})
	go func() {
		returned := false
		defer func() {
			if !returned && !exiting() {
				return // a panic, which is about to end the process
			}
			end()
			close(ended)
		}()
		fn()
		returned = true
	}()
	served := false
	defer func() {
		if !served && access.Terminated(main) { // a function has called Goexit
			<-ended
			go exitAfterMain()
		}
	}()
	_ = loop.ServeContext(context.Background()) // ErrTerminated, perhaps by Loop().Close()
	<-ended
	served = true
}

// Thread returns the main thread, for all that this package has no function for. Its Close and
// Terminate panic, because other packages of the program need it.
func Thread() *thread.Thread { return main }

// Loop returns the main thread as its own goroutine has it, for a program with an event loop there:
//
//	loop := mainthread.Loop()
//	loop.OnWake(glfw.PostEmptyEvent)
//	for !window.ShouldClose() && loop.Wait(glfw.WaitEvents) {
//	}
//	loop.Close() // calls of other goroutines return false from now on
//
// A program that calls Init needs no Close: the Loop ends with the function given to Init. Close
// before that ends it early, in Init, too, which still waits; Init after Close panics.
func Loop() *thread.Loop { return loop }

// Call runs f on the main thread and returns true after it. It returns false, and f will not run,
// if f is nil or Init's function ends first and the caller is elsewhere. See [thread.Thread.Call].
//
//threadcall:noalloc
func Call(f func()) bool { return main.Call(f) }

// MustCall is [Call], but panics where Call returns false. See [thread.Thread.MustCall].
//
//threadcall:noalloc
func MustCall(f func()) { main.MustCall(f) }

// MustEval runs f on the main thread and returns its result. It panics where Call returns false.
//
//threadcall:noalloc
func MustEval[T any](f func() T) T { return thread.MustEval(main, f) }

// CallContext is Call, but ends when ctx is done first. See [thread.Thread.CallContext].
//
//threadcall:noalloc
func CallContext(ctx context.Context, f func()) error { return main.CallContext(ctx, f) }

// Go queues f to run on the main thread and does not wait. See [thread.Thread.Go].
//
//threadcall:noalloc
func Go(f func()) bool { return main.Go(f) }

// On reports whether the caller is on the main thread, where calls run in place, after Init, too.
//
//threadcall:noalloc
func On() bool { return main.On() }

// Assert panics unless the caller is on the main thread, see [thread.Thread.Assert].
//
//threadcall:noalloc
func Assert() { main.Assert() }
