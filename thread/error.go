package thread

import (
	"fmt"

	"github.com/threadcall/threadcall/internal/fault"
	"github.com/threadcall/threadcall/internal/stack"
)

// A PanicError is a panic of a function without a waiting caller. It wraps its value, if an error.
type PanicError struct {
	Value any // as it was given to panic
	stack []uintptr
}

// Error reports the panic and its value.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap returns the value if it is an error, or nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Stack returns the stack of the thread at the panic; the function that panicked comes first.
func (p *PanicError) Stack() string { return stack.Trace(p.stack) }

// WithPanicHandler calls f with each panic of a function that no caller waits for: of Go,
// GoContext, TryGo, Coalesce, a [Timer], [WithStop], and, with [New] and [NewPool], [WithStart].
// Without the option, and for a nil f, the name of the thread, the value and the stack are written
// to standard error at once. In either case the thread continues, and [Stats] counts the panic.
//
// The thread keeps nothing of a panic that f has taken.
//
// f runs on the thread, before any other function, and may log or count the panic. If f itself
// panics, the program ends. Calls that f makes to its own thread run in place. The thread refers to
// f until it ends: a Thread to which f refers is not reclaimed without Terminate or Close.
//
// [Thread.OnPanic] and [Pool.OnPanic] are for what exists.
func WithPanicHandler(f func(*PanicError)) Option {
	return func(c *config) { c.handle = f }
}

// OnPanic is [WithPanicHandler] for the panics from now on, in place of what was set before.
func (t *Thread) OnPanic(f func(*PanicError)) { t.e.OnPanic(handler(f)) }

func handler(f func(*PanicError)) func(*fault.Fault) {
	if f == nil {
		return nil
	}
	return func(p *fault.Fault) { f(panicError(p)) }
}

func panicError(f *fault.Fault) *PanicError { return &PanicError{Value: f.Value, stack: f.Stack} }
