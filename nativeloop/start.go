package nativeloop

import (
	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

// Start starts a thread that runs a native event loop of its own, and serves calls in that: a GLib
// context, which is the thread-default one, a message loop on Windows, a run loop on macOS. It is
// for what needs an event loop but not the main thread: a bus watch of GStreamer, COM objects that
// send events, a hook of Windows.
//
//	t, err := nativeloop.Start(
//		thread.WithName("keys"),
//		thread.WithStart(setHook),
//		thread.WithStop(removeHook),
//	)
//
// The functions of [thread.WithStart] and [thread.WithStop] run on the thread while its loop
// exists, before the loop turns and after. Native events run between calls, and calls between them,
// as [Attach] says. The error is that of a function of WithStart, as of [thread.Start], or it is or
// wraps [ErrNoLoop]. On Linux, Start loads GLib, version 2.
//
// [thread.Thread.Close] runs what is queued; then the loop ends, and then the thread. A function or
// a native callback on the thread ends it from inside by Close, which does not wait there, as do
// PostQuitMessage on Windows and CFRunLoopStop on macOS. [runtime.Goexit] in a function ends
// neither.
func Start(opts ...thread.Option) (*thread.Thread, error) {
	var l ownLoop
	var serveIn func(loop func())
	begin := func() error {
		e := access.Self() // the thread's
		var err error
		if l, err = newOwnLoop(func(rest func()) { e.Serve(budget, rest) }); err == nil {
			e.OnWake(l.wake)
			l.ended, serveIn = e.Terminated, e.ServeIn
		}
		return err
	}
	end := func() { l.detach(); l.leave() }
	opts = append([]thread.Option{thread.WithStart(begin), thread.WithStop(end)}, opts...)
	t, err := thread.Start(opts...)
	if err == nil {
		serveIn(l.run)
	}
	return t, err
}

// An ownLoop is the loop of a thread of Start.
type ownLoop struct {
	native
	turn  func() error // waits for events and handles them; an error ends the loop
	leave func()       // undoes what newOwnLoop has done, but for native
	ended func() bool
}

func (l *ownLoop) run() {
	for !l.ended() && l.turn() == nil {
	}
}
