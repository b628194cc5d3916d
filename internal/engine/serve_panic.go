package engine

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/fault"
	"github.com/threadcall/threadcall/internal/stack"
)

// OnPanic has f called with each panic of a function that no caller waits for, in place of the
// report on standard error. Nil ends that.
func (x *target) OnPanic(f func(*fault.Fault)) {
	if f == nil {
		x.onPanic.Store(nil)
		return
	}
	handle := f // or each call would allocate f
	x.onPanic.Store(&handle)
}

// A Panic is what is kept of one that was written to standard error.
type Panic struct {
	At   time.Time
	Text string // its value; only the beginning, if that is long
}

const maxPanicText = 1000 // bytes

// panicked reports the panic of a function that no caller waited for on the thread of e. A panic of
// the function that OnPanic was given ends the process: on another goroutine, because on this one
// serveAll would go on.
func (x *target) panicked(f *fault.Fault, e *Engine) {
	handle := x.onPanic.Load()
	if handle == nil {
		text := fmt.Sprint(f.Value)
		fmt.Fprintf(os.Stderr, "threadcall: panic on %v, in a function that no caller waits for: %s\n%s",
			e, text, stack.Trace(f.Stack))
		if len(text) > maxPanicText {
			text = strings.ToValidUTF8(text[:maxPanicText], "") + " …" // a copy
		}
		x.lastPanic.Store(&Panic{time.Now(), text})
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
