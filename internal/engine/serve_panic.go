package engine

import (
	"fmt"
	"os"

	"github.com/threadcall/threadcall/internal/fault"
	"github.com/threadcall/threadcall/internal/stack"
)

// OnPanic has f called with each panic of a function that no caller waits for, in place of the
// report on standard error. Nil ends that.
func (x *target) OnPanic(f func(*fault.Fault)) {
	if f != nil || x.onPanic.Load() != nil {
		x.onPanic.Store(&f)
	}
}

// panicked keeps the panic of a function that no caller waited for on the thread of e, and reports
// it. A panic of the function that OnPanic was given ends the process: on another goroutine,
// because on this one serveAll would go on.
func (x *target) panicked(f *fault.Fault, e *Engine) {
	if o := x.owner.Value(); o != nil { // else nothing can ask for it
		o.faults.Add(f)
	}
	handle := x.onPanic.Load()
	if handle == nil || *handle == nil {
		fmt.Fprintf(os.Stderr, "threadcall: panic on %v, in a function that no caller waits for: %v\n%s",
			e, f.Value, stack.Trace(f.Stack))
		return
	}
	defer func() {
		if v := recover(); v != nil {
			go fault.Caught(v).Raise()
			select {}
		}
	}()
	(*handle)(f)
}
