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

// Wait runs native events and what is queued for t, until done is closed. So a callback of the
// toolkit, or a function that runs on t, can wait for an answer while windows react and other
// goroutines call t, as in a modal dialog. t must be attached by [Attach]; its loop may run already
// or not. Wait may be called inside Wait; the inner one returns first.
//
//	answered := make(chan struct{})
//	go func() { ask(); close(answered) }()
//	err := nativeloop.Wait(ctx, mainthread.Thread(), answered)
//
// Wait returns nil when done is closed; a nil done never is. It returns [context.Cause](ctx) when
// ctx is done, [thread.ErrTerminated] when t has been terminated, ErrQuit when the thread is told
// to quit, and an error if another thread runs the GLib context of t. It turns the loop as the
// toolkit does, but without additions of the toolkit: dialog keys and accelerators on Windows. On
// macOS it takes the events of NSApp if there is one and t is the main thread.
//
// Wait panics off the thread, and if t is not attached.
func Wait(ctx context.Context, t *thread.Thread, done <-chan struct{}) error {
	on := t.On() // looked at first, because Terminate on another goroutine ends that
	if access.Terminated(t) {
		return thread.ErrTerminated
	}
	claims.Lock()
	h := claims.held[claim{t, true}]
	claims.Unlock()
	if h == nil || !on {
		panic("nativeloop: Wait off the thread, or before Attach; call Attach first, and Wait in a " +
			"function on the thread")
	}
	turn, err := h.loop.turner()
	if err != nil {
		return err
	}
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
	for { // not t.Wait: the loop itself serves t, and those inside of it, as outside of Wait
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
		switch {
		case access.Terminated(t):
			return thread.ErrTerminated
		}
		if err := turn(); err != nil {
			return err
		}
	}
}
