package nativeloop

import (
	"context"
	"errors"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

// ErrQuit is returned by [Wait] when the native loop is to end: on Windows, after PostQuitMessage.
// The outer loop is told as well.
var ErrQuit = errors.New("nativeloop: the native loop is to end")

// Wait runs native events and what is queued for l, until done is closed. So a callback of the
// toolkit, or a function that runs on the thread, can wait for an answer while windows react and
// other goroutines call the thread, as in a modal dialog. l must be attached by [Attach]; the
// native loop may run already or not. Wait may be called inside Wait; the inner one returns first.
//
//	answered := make(chan struct{})
//	go func() { ask(); close(answered) }()
//	err := nativeloop.Wait(ctx, mainthread.Loop(), answered)
//
// Wait returns nil when done is closed; a nil done never is. It returns [context.Cause](ctx) when
// ctx is done, [thread.ErrTerminated] when the thread has ended, ErrQuit when it is told to quit,
// and an error that wraps [ErrOwned] if another thread runs its GLib context. It turns the loop as
// the toolkit does, but without additions of the toolkit: dialog keys and accelerators on Windows.
// On macOS it takes the events of NSApp if there is one and the thread is the main one.
//
// Wait panics off the thread, and if l is not attached.
func Wait(ctx context.Context, l *thread.Loop, done <-chan struct{}) error {
	t := l.Thread()
	if err := mayUse(t, "Wait"); err != nil {
		return err
	}
	n := attached.Get(t)
	if n == nil {
		panic("nativeloop: Wait before Attach")
	}
	turn := n.turner()
	returned := make(chan struct{})
	defer close(returned)
	go func() {
		select {
		case <-done:
		case <-ctx.Done():
		case <-returned:
			return
		}
		t.TryGo(func() {}) // ends the turn; if the queue is full, what is in it does
	}()
	for { // not l.Wait: the loop itself serves t, and those inside of it, as outside of Wait
		select {
		case <-done:
			return nil
		default:
		}
		select {
		case <-ctx.Done():
			return access.Cause(ctx)
		default:
		}
		if access.Terminated(t) {
			return thread.ErrTerminated
		}
		if err := turn(); err != nil {
			return err
		}
	}
}
