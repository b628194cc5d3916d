// Package mainthread runs functions on the main thread of the process, where Cocoa, Win32, GLFW,
// SDL and others must be called.
//
//	func main() { mainthread.Init(run) }
//
//	func run() { // what would be main; it runs on a goroutine of its own
//		mainthread.Call(window.Show)                                // returns after it
//		title := thread.MustEval(mainthread.Thread(), window.Title) // the same, with a result
//		mainthread.Go(window.Redraw)                                // some time later
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
// A program whose main thread has an event loop uses [OnWake] with [Wait] or [Serve], or package
// nativeloop, in place of Init. So does a Call that runs an event loop.
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
	"time"

	"github.com/threadcall/threadcall/thread"
)

var started, ended atomic.Bool

// Init runs fn, the real main function, on a goroutine of its own and serves the main thread until
// fn has returned or called [runtime.Goexit]. A panic in fn ends the process, as in main. The main
// goroutine calls Init, once, and should do nothing else.
//
// If a function on the main thread has called Goexit, as t.Fatal and t.Skip of a test do, the main
// goroutine must end, although the thread continues. When fn has ended, the deferred calls of main
// run, Init does not return, and the process ends, with a line on standard error: with status 2 if
// it is a test binary, and 0 otherwise. A status that matters is set in fn, by [os.Exit].
//
// Init panics if it is called a second time or off the main goroutine. But in the tests, benchmarks
// and examples of a package whose TestMain runs under Init, it runs fn in place.
func Init(fn func()) {
	switch {
	case fn == nil:
		panic(fmt.Errorf("%w: mainthread.Init", thread.ErrNil))
	case host != "":
		panic("mainthread: Init in " + host)
	case started.Load() && !ended.Load() && inTests() && flag.Parsed(): // by testing.M.Run
		fn()
		return
	case !main.On():
		panic("mainthread: Init off the main goroutine; call it first thing in func main, or in TestMain")
	case !started.CompareAndSwap(false, true):
		panic("mainthread: Init called twice; call it once, from func main")
	}
	go func() {
		returned := false
		defer func() {
			if !returned && !exiting() {
				return // a panic, which is about to end the process
			}
			ended.Store(true)
			end()
		}()
		fn()
		returned = true
	}()
	served := false
	defer func() {
		if !served && ended.Load() {
			go exitAfterMain()
		}
	}()
	_ = main.ServeContext(context.Background()) // ErrTerminated
	served = true
}

// Thread returns the main thread. Its Close and Terminate panic, because the whole program needs
// it.
func Thread() *thread.Thread { return main }

// Call runs f on the main thread and returns true after it. It returns false, and f will not run,
// if f is nil, or if the function given to Init ends before f begins and the caller is not on the
// main thread. See [thread.Thread.Call].
//
//threadcall:noalloc
func Call(f func()) bool { return main.Call(f) }

// MustCall is [Call], but panics where Call returns false. See [thread.Thread.MustCall].
//
//threadcall:noalloc
func MustCall(f func()) { main.MustCall(f) }

// CallContext is Call, but gives up when ctx is done before f begins. See
// [thread.Thread.CallContext].
//
//threadcall:noalloc
func CallContext(ctx context.Context, f func()) error { return main.CallContext(ctx, f) }

// Go queues f to run on the main thread and does not wait. See [thread.Thread.Go].
//
//threadcall:noalloc
func Go(f func()) bool { return main.Go(f) }

// GoContext is Go, but f does not run if ctx is done when its turn comes. See
// [thread.Thread.GoContext].
//
//threadcall:noalloc
func GoContext(ctx context.Context, f func()) error { return main.GoContext(ctx, f) }

// Coalesce returns a function that queues f on the main thread, at most once at a time. See
// [thread.Thread.Coalesce].
func Coalesce(f func()) (post func() bool) { return main.Coalesce(f) }

// After runs f on the main thread once, when d has passed. See [thread.Thread.AfterFunc].
func After(d time.Duration, f func()) *thread.Timer { return main.AfterFunc(d, f) }

// Every runs f on the main thread after each d. See [thread.Thread.Every].
func Every(d time.Duration, f func()) *thread.Timer { return main.Every(d, f) }

// TakePanic removes and returns the oldest panic of a function given to Go, or nil. See
// [thread.Thread.TakePanic].
func TakePanic() *thread.PanicError { return main.TakePanic() }

// OnPanic calls f with each panic of a function that no caller waits for, in place of a report on
// standard error, which a nil f restores. See [thread.WithPanicHandler].
func OnPanic(f func(*thread.PanicError)) { main.OnPanic(f) }

// On reports whether the caller is on the main thread, where calls run in place, after Init, too.
//
//threadcall:noalloc
func On() bool { return main.On() }

// Assert panics unless the caller is on the main thread, with an error that says what to write
// instead. See [thread.Thread.Assert].
//
//threadcall:noalloc
func Assert() { main.Assert() }

// Serve runs what is queued and returns how many functions it ran, for a program whose main thread
// has an event loop of its own. It panics off the main thread. See [thread.Thread.Serve].
func Serve() int { return main.Serve() }

// ServeFor is Serve with a budget: it begins no function when d has passed. It panics off the main
// thread. See [thread.Thread.ServeFor].
func ServeFor(d time.Duration) int { return main.ServeFor(d) }

// ServeContext serves the main thread until ctx is done; it panics off the main thread. See
// [thread.Thread.ServeContext].
func ServeContext(ctx context.Context) error { return main.ServeContext(ctx) }

// Wait is the wait of an event loop on the main thread: it calls block, which waits for native
// events, and then runs what is queued. It returns false when the function given to Init has ended,
// and panics off the main thread. See [thread.Thread.Wait].
//
//	mainthread.OnWake(glfw.PostEmptyEvent)
//	for mainthread.Wait(glfw.WaitEvents) {
//	}
func Wait(block func()) bool { return main.Wait(block) }

// OnSlowCall calls f for each function that has run on the main thread for d, or waited for it. A
// nil f turns it off. See [thread.WithSlowCall].
func OnSlowCall(d time.Duration, f func(thread.SlowCall)) { main.OnSlowCall(d, f) }

// Stats returns counts and times of the functions of the main thread. See [thread.Thread.Stats].
//
//threadcall:noalloc
func Stats() thread.Stats { return main.Stats() }

// OnWake sets the function that wakes an event loop on the main thread. See [thread.Thread.OnWake].
func OnWake(wake func()) { main.OnWake(wake) }
