// Package nativeloop serves a thread inside the native event loop that runs on it, of any toolkit:
// the message loop of Windows, GLib's main context (GTK, WebKitGTK), the run loop of macOS. Calls
// run as soon as the loop turns, and while the toolkit is in a loop of its own: a message box, a
// menu, a modal dialog, a window that is being moved. It does not poll.
//
//	func main() {
//		detach, err := nativeloop.Attach(mainthread.Loop())
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer detach()
//		go run() // calls mainthread.Call
//		toolkit.Main()
//	}
//
// How each system does it:
//
//   - Windows: a message-only window of the thread. In a flood of calls, input, timers and painting
//     have the thread for 1 ms after each 4 ms.
//   - Linux, on amd64, arm64 and riscv64: a source of GLib's main context, with the priority of
//     GTK's redraws, so that calls and redraws take turns; input and relayouts come before both.
//     GLib must be in the process when Attach is called: a binding by cgo links it, others load it.
//     The context is the thread-default one of the caller. If there is none, it is the default main
//     context, which GTK uses, for the main thread and a thread that owns that context.
//   - macOS: a source of the thread's run loop in the common modes, which AppKit extends by modal
//     panels and by the tracking of menus and windows. It has been compiled and vetted only.
//   - Elsewhere: [ErrNoLoop].
//
// After Attach, a function that calls [runtime.Goexit] ends the goroutine of the native loop, as it
// does inside Serve of a [thread.Loop]. The native loop stops; without mainthread.Init, the program
// then hangs. A loop of [Start] goes on. Panics do not reach the native loop.
package nativeloop

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

var (
	// ErrNoLoop is returned, or wrapped with the reason, where the package knows no native loop. It
	// wraps [errors.ErrUnsupported]. Use OnWake and Wait, or Serve, of the Loop.
	ErrNoLoop = fmt.Errorf("nativeloop: no native loop here (%w); use OnWake and Wait, or Serve",
		errors.ErrUnsupported)

	// ErrAttached is returned by [Attach] if the Loop is attached already.
	ErrAttached = errors.New("nativeloop: the loop is attached already")

	// ErrOwned is wrapped by errors of [Attach] and [Wait] if another thread may own the GLib context.
	ErrOwned = errors.New("nativeloop: another thread owns this GLib context")
)

// budget is for how long one turn of the native loop runs queued functions.
const budget = 4 * time.Millisecond

// A native is what one system needs to attach a thread. The package's functions call wake on any
// goroutine, here on any thread, and detach on that of the loop.
type native interface {
	wake()
	here() bool // whether the caller is on the thread of the loop
	detach()

	// turner returns, on the thread, what waits for events and handles them, until an error.
	turner() (turn func() error)
}

// attached is what is attached to each Loop. The goroutine of the Loop alone looks at it.
var attached thread.Local[native]

// Attach has the native loop of the caller's thread serve that thread, for at most 4 ms at a time,
// modal or not. It does not run the native loop, and may be called before that runs or inside it.
//
// Attach replaces the function of [thread.Loop.OnWake]; detach restores that. Call it before Close
// of l; it panics off the thread. Several packages may need calls in the native loop: the first
// Attach serves all of them, and a later one returns [ErrAttached]. Meanwhile l is not reclaimed.
//
// If the thread has ended, the error is [thread.ErrTerminated]. Attach panics off the thread.
func Attach(l *thread.Loop) (detach func(), err error) {
	t := l.Thread()
	if err := mayUse(t, "Attach"); err != nil {
		return nil, err
	}
	if attached.Get(t) != nil {
		return nil, ErrAttached
	}
	n, err := attach(func(rest func()) { access.Serve(l, budget, rest) })
	if err != nil {
		return nil, err
	}
	before := access.WakeOf(l)
	attached.Set(t, n)
	l.OnWake(n.wake)
	undo := sync.OnceFunc(func() {
		n.detach() // first, as OnWake gives back the lock of a thread that has ended
		l.OnWake(before)
		attached.Set(t, nil)
	})
	return func() {
		if !n.here() {
			panic("nativeloop: detach off the thread; call it on the thread that called Attach")
		}
		undo()
	}, nil
}

// mayUse returns an error if t has ended, and panics off the thread.
func mayUse(t *thread.Thread, function string) error {
	on := t.On() // looked at first, because Terminate on another goroutine ends that
	if access.Terminated(t) {
		return thread.ErrTerminated
	}
	if !on {
		panic("nativeloop: " + function + " off the thread; call it on the thread that runs the loop")
	}
	return nil
}
