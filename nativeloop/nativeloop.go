// Package nativeloop serves a thread inside the native event loop that runs on it, whichever
// toolkit runs that loop: the message loop of Windows, GLib's default main context (GTK,
// WebKitGTK), the main run loop of macOS. Calls are run as soon as the loop turns, also while the
// toolkit is in a loop of its own: a message box, a menu, a modal dialog, a window that is being
// moved. While nothing is queued the package does nothing: it has no timer and does not poll.
//
//	func main() {
//		detach, err := nativeloop.Attach(mainthread.Thread())
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer detach()
//		go run() // calls mainthread.Call
//		toolkit.Main()
//	}
package nativeloop

import (
	"errors"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

// ErrNoLoop is returned by Attach where the package knows no native loop. There a program connects
// the loop by [thread.Thread.OnWake] and [thread.Thread.Serve].
var ErrNoLoop = errors.New("nativeloop: no native loop on this system; use OnWake and Serve")

// budget is how long one turn of the native loop runs queued functions, so that a flood of them
// does not delay native events for longer.
const budget = 4 * time.Millisecond

// A loop is what one system needs to attach t. The package's functions call wake on any goroutine,
// and detach on the thread.
type loop interface {
	wake()
	detach()
}

// Attach has the native loop of t, on which it must be called, serve t: functions that other
// goroutines queue are run by the loop, in one turn for at most 4 ms, modal or not. It does not run
// the loop, and may be called before the loop runs or inside of it. It returns a function that undoes it, to be called on t.
//
// Attach panics if the caller is not on t.
func Attach(t *thread.Thread) (detach func(), err error) {
	if !t.On() {
		panic("nativeloop: Attach off the thread; call it on the thread that runs the native loop")
	}
	l, err := attach(func(rest func()) { access.ServeFor(t, budget, rest) })
	if err != nil {
		return nil, err
	}
	t.OnWake(l.wake)
	return func() {
		t.OnWake(nil)
		l.detach()
	}, nil
}
