package thread

import (
	"fmt"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/engine"
)

// A PanicError is a panic in a function that was given to Go. [errors.Is] and [errors.As] find the
// value, if that is an error.
type PanicError struct {
	Value any // as it was given to panic
	Lost  int // how many other panics, before this was taken, were not kept
	stack []uintptr
}

// Error reports the panic, its value, and how many others were lost.
func (p *PanicError) Error() string {
	if p.Lost > 0 {
		return fmt.Sprintf("panic: %v (and %d panics that were not kept)", p.Value, p.Lost)
	}
	return fmt.Sprintf("panic: %v", p.Value)
}

// Unwrap returns the value if it is an error, or nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Stack returns where the panic came from: the frames of the thread, the function that panicked
// first.
func (p *PanicError) Stack() string { return engine.Trace(p.stack) }

// taken returns f as users see it, or nil.
func taken(f *callq.Fault, lost int) *PanicError {
	if f == nil {
		return nil
	}
	return &PanicError{Value: f.Value, Lost: lost, stack: f.Stack}
}
