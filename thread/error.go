package thread

import (
	"fmt"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/engine"
)

// A PanicError is a panic in a function that was given to Go. [errors.Is] and [errors.As] see through it to the
// value, if that is an error.
type PanicError struct {
	Value any // as it was given to panic
	stack []uintptr
}

// Error says that there was a panic, and its value.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap returns the value if it is an error, or nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Stack returns where the panic came from: the frames of the thread, the function that panicked first.
func (p *PanicError) Stack() string { return engine.Trace(p.stack) }

func asError(f *callq.Fault, lost int) error {
	switch {
	case f != nil:
		return &PanicError{Value: f.Value, stack: f.Stack}
	case lost > 0:
		return fmt.Errorf("thread: %d more panics were not kept; call Error more often", lost)
	}
	return nil
}
