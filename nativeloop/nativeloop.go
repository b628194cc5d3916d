// Package nativeloop serves a thread inside the native event loop that runs on it, of any toolkit:
// the message loop of Windows, GLib's main context (GTK, WebKitGTK), the run loop of macOS. Calls
// run as soon as the loop turns, and while the toolkit is in a loop of its own: a message box, a
// menu, a modal dialog, a window that is being moved. While nothing is queued the package does
// nothing: it has no timer and does not poll.
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
//
// How each system does it:
//
//   - Windows: a message-only window of the thread. In a flood of calls, input, timers and painting
//     have the thread for 1 ms after each 4 ms.
//   - Linux, on amd64, arm64 and riscv64: a source of GLib's main context, with [GLibPriority].
//     GLib must be in the process when Attach is called: a binding by cgo links it, others load it.
//     The context is the thread-default one of the caller. If there is none, it is the default main
//     context, which GTK uses, for the main thread and a thread that owns that context.
//   - macOS: a source of the thread's run loop in the common modes, which AppKit extends by modal
//     panels and by the tracking of menus and windows. It is compiled and vetted here, and runs in
//     continuous integration only.
//   - Elsewhere: [ErrNoLoop].
//
// A function that calls [runtime.Goexit] ends the goroutine of the native loop, as it does inside
// [thread.Thread.Serve]. The loop stops; if that is the main goroutine without mainthread.Init, the
// program hangs with a window that nothing serves. Panics do not reach the native loop.
package nativeloop

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

// ErrNoLoop is returned, or wrapped with the reason, where the package knows no native loop. There
// a program connects its loop by [thread.Thread.OnWake] and [thread.Thread.Wait] or
// [thread.Thread.Serve].
var ErrNoLoop = errors.New("nativeloop: no native loop here; use OnWake and Wait, or Serve")

// GLibPriority is the priority of calls in GLib's main context: that of GTK's redraws,
// G_PRIORITY_HIGH_IDLE+20. Calls and redraws take turns; input and relayouts (0 and 110) come
// before both, and idle functions (200) after. With a higher priority, a flood of calls would stop
// redraws.
const GLibPriority = 120

// budget is for how long one turn of the native loop runs queued functions.
const budget = 4 * time.Millisecond

// A loop is what one system needs to attach t. The package's functions call wake on any goroutine,
// here on any thread, and detach on that of the loop.
type loop interface {
	wake()
	here() bool // whether the caller is on the thread of the loop
	detach()

	// turner returns what waits for events and handles them, until it returns an error. It is called
	// on the thread.
	turner() (turn func() error, err error)
}

// Attach has the native loop of t serve t, for at most 4 ms at a time, modal or not. The caller
// must be on t. Attach does not run the loop, and may be called before the loop runs or inside it.
// It replaces the function of [thread.Thread.OnWake]; detach restores that, and panics off the
// thread. While t is attached, it is not reclaimed.
//
// If t is attached already, the error is a [*TakenError]; if it has been terminated, it is
// [thread.ErrTerminated]. Attach panics off the thread, and for a thread from [thread.New], which
// serves by itself.
func Attach(t *thread.Thread) (detach func(), err error) {
	on := t.On() // looked at first, because Terminate on another goroutine ends that
	if access.Terminated(t) {
		return nil, thread.ErrTerminated
	}
	if !on {
		panic("nativeloop: Attach off the thread; call it on the thread that runs the native loop")
	}
	before, adopted := access.WakeOf(t)
	if !adopted {
		panic("nativeloop: Attach of a thread from thread.New, which serves by itself; " +
			"use thread.Adopt on the thread that runs the native loop")
	}
	h, release, err := claim{t, true}.take("nativeloop.Attach")
	if err != nil {
		return nil, err
	}
	l, err := attach(func(rest func()) { access.ServeFor(t, budget, rest) })
	if err != nil {
		release()
		return nil, err
	}
	h.loop = l
	t.OnWake(l.wake)
	undo := sync.OnceFunc(func() {
		t.OnWake(before)
		l.detach()
		release()
	})
	return func() {
		if !l.here() {
			panic("nativeloop: detach off the thread; call it on the thread that called Attach")
		}
		undo()
	}, nil
}

// Take claims the native loop of t for a library that is about to run it; release gives it back.
// Only one library can run the loop of a thread: of a tray icon and a web view that both enter
// [NSApp run], the second would wait for ever or break the first. If the loop is taken, the error
// is a [*TakenError]; if t has been terminated, which releases it, [thread.ErrTerminated].
//
//	release, err := nativeloop.Take(mainthread.Thread(), "tray")
//	if err != nil {
//		return err
//	}
//	defer release()
//
// Take is for the library that runs the loop, and Attach for code that calls the thread; they do
// not exclude each other.
func Take(t *thread.Thread, name string) (release func(), err error) {
	_, release, err = claim{t, false}.take(name)
	return release, err
}

// A TakenError reports which library has taken the native loop of a thread, or that the thread is
// attached already.
type TakenError struct {
	Name  string // as given to Take, or nativeloop.Attach
	Stack string // of the call of Take or Attach
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("nativeloop: the thread's loop is taken by %s, which must release it first; "+
		"it was taken here:\n%s", e.Name, e.Stack)
}

// A claim is the right to run the native loop of a thread, or to serve the thread there.
type claim struct {
	t      *thread.Thread
	serves bool
}

// A holder has a claim.
type holder struct {
	TakenError
	loop loop // to which Attach has attached the thread; only the thread uses it
}

// claims has those of threads that have not ended, and few others.
var claims = struct {
	sync.Mutex
	held map[claim]*holder
}{held: map[claim]*holder{}}

func (c claim) take(name string) (h *holder, release func(), err error) {
	claims.Lock()
	defer claims.Unlock()
	for other := range claims.held { // a program may never release those of threads that have ended
		if access.Terminated(other.t) {
			delete(claims.held, other)
		}
	}
	if access.Terminated(c.t) {
		return nil, nil, thread.ErrTerminated
	}
	if first := claims.held[c]; first != nil {
		return nil, nil, &first.TakenError
	}
	h = &holder{TakenError: TakenError{name, string(debug.Stack())}}
	claims.held[c] = h
	return h, sync.OnceFunc(func() {
		claims.Lock()
		defer claims.Unlock()
		delete(claims.held, c)
	}), nil
}
