// Package access lets packages mainthread, keyed and nativeloop use a Thread in ways that no other
// package may, and recorderhttp see all threads. Package thread sets its variables.
package access

import (
	"context"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
)

// Adopt is thread.Adopt for the main thread: only the Loop's Close and the function end end its
// Thread. If onMain is false, the caller is not on the main thread, and the Thread is none: no
// function runs there, and On is false everywhere.
var Adopt func(onMain bool) (loop any, end func())

// Serve is the method of a Loop, and calls rest before it runs the first of several functions: if
// that one runs an event loop, the others must run there.
var Serve func(loop any, limit time.Duration, rest func()) int

// WakeOf returns what the method OnWake of a Loop has set, or nil.
var WakeOf func(loop any) func()

// Terminated reports whether the thread has been terminated.
var Terminated func(thread any) bool

// New is thread.New with the options opts, a []thread.Option, but the caller starts e, the engine
// of t, a *thread.Thread. There prepare is to run the functions of WithStart, and has those of
// WithStop run last. It returns a panic as a *thread.PanicError. User and onEnd are as in Config of
// the engine.
var New func(opts, user any, onEnd func()) (t any, e *engine.Engine, prepare func() error)

// What threads and pools do, for package recorderhttp.
type (
	State = engine.State
	Name  = engine.Stats
)

// States returns the states of all threads and pools, and the counts of all names.
func States() (states []State, names map[string]*Name) { return engine.States() }

// Cause returns why ctx, which is done, is so, and never nil.
func Cause(ctx context.Context) error { return engine.Cause(ctx) }

// Self returns the engine whose thread the caller is on, or nil.
func Self() *engine.Engine { return engine.Self() }
