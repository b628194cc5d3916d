// Package fault carries panics from one thread to another.
package fault

import (
	"runtime"

	"github.com/threadcall/threadcall/internal/stack"
)

// A Fault is a panic that a function did not recover from: its value, and where it was raised.
type Fault struct {
	Value any
	Stack []uintptr // as runtime.Callers has it, from the function that panicked outwards
}

// Caught makes a Fault of a panic value. It must be called by the deferred function that recovered
// it, while the frames of the function that panicked still stand.
func Caught(v any) *Fault {
	pcs := make([]uintptr, 64) //threadcall:alloc for a panic
	// Callers, Caught and the deferred function are of no interest.
	return &Fault{Value: v, Stack: pcs[:runtime.Callers(3, pcs)]} //threadcall:alloc and with it
}

// Raise raises the fault in the caller: as the value it was, so that recover finds what it would
// have found in place. A value that is not recovered ends the process with a report of the caller's
// stack, which does not show the function that panicked. So the value replaces a first panic that
// has the other stack: the report prints both, and recover sees only the last.
func (f *Fault) Raise() {
	defer func() { panic(f.Value) }()
	panic(origin{f})
}

type origin struct{ *Fault }

func (o origin) Error() string {
	return "a function called on another thread panicked there:\n" + stack.Trace(o.Stack)
}
