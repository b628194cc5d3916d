package nativeloop

import (
	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

// Start starts a thread that serves calls in a native event loop of its own: a GLib context, the
// thread-default one, a message loop on Windows, a run loop on macOS. It is for what needs a loop
// but not the main thread: a bus watch of GStreamer, COM events, a hook of Windows.
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
// PostQuitMessage on Windows and CFRunLoopStop on macOS. [runtime.Goexit] ends neither.
func Start(opts ...thread.Option) (*thread.Thread, error) {
	var run, detach func()
	begin := func() error {
		e := access.Self() // the thread's
		l, turn, err := newOwnLoop(func(rest func()) { e.Serve(budget, rest) })
		if err != nil {
			return err
		}
		e.OnWake(l.wake)
		detach = l.detach
		run = func() {
			e.ServeIn(func() {
				for !e.Terminated() && turn() == nil {
				}
			})
		}
		return nil
	}
	end := func() { detach() }
	opts = append([]thread.Option{thread.WithStart(begin), thread.WithStop(end)}, opts...)
	t, err := thread.Start(opts...)
	if err == nil {
		run()
	}
	return t, err
}
