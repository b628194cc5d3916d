package engine

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/threadcall/threadcall/internal/callq"
)

// Caught makes a fault of a panic value. It must be called by the deferred function that recovered
// it, while the frames of the function that panicked still stand.
func Caught(v any) *callq.Fault {
	pcs := make([]uintptr, 64) //threadcall:alloc for a panic
	// Callers, Caught and the deferred function are of no interest.
	return &callq.Fault{Value: v, Stack: pcs[:runtime.Callers(3, pcs)]} //threadcall:alloc and with it
}

// repanic raises the fault in the caller: as the value it was, so that recover finds what it would
// have found in place. A value that is not recovered ends the process with a report of the caller's
// stack, where the function that panicked is not to be seen. So that it is, the value replaces a
// first panic that tells of the other stack: the report prints both, and recover sees only the
// last.
func repanic(f *callq.Fault) {
	defer func() { panic(f.Value) }()
	panic(origin{f})
}

type origin struct{ *callq.Fault }

func (o origin) Error() string {
	return "a function called on another thread panicked there:\n" + Trace(o.Stack)
}

// Trace formats a stack as the runtime does, from the function that panicked to the last above the
// engine.
func Trace(stack []uintptr) string {
	var b strings.Builder
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		within := func(p string) bool { return strings.HasSuffix(f.Function, p) }
		if slices.ContainsFunc(callers, within) {
			break
		}
		if f.Function != "" && !slices.ContainsFunc(between, within) {
			fmt.Fprintf(&b, "%s(...)\n\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			break
		}
	}
	return b.String()
}

// callers are what calls functions of users.
var callers = []string{"/internal/engine.invoke", "/internal/engine.(*target).panicked"}

// between is what may stand between a function and its caller, and is of no interest.
var between = []string{
	"runtime.gopanic", "runtime/trace.WithRegion",
	"/internal/engine.(*observedCall).call", "/internal/engine.(*Clock).call",
	"/internal/engine.inPlace", "/internal/engine.markInPlace",
	"/internal/engine.(*Engine).nestedContext",
}

// TraceCaller formats a stack that begins in this module, from the function on that called it.
func TraceCaller(stack []uintptr) string { return Trace(fromCaller(stack)) }

// callerOf returns the file and line from which a stack that begins in this module leaves it.
func callerOf(stack []uintptr) string {
	f, _ := runtime.CallersFrames(fromCaller(stack)).Next()
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// fromCaller leaves out what is this module's at the beginning of a stack.
func fromCaller(stack []uintptr) []uintptr {
	for i := range stack {
		f, _ := runtime.CallersFrames(stack[i : i+1]).Next()
		if !slices.ContainsFunc(ours, func(p string) bool { return strings.HasPrefix(f.Function, p) }) {
			return stack[i:]
		}
	}
	return nil
}

var ours = []string{
	module + "/thread.", module + "/mainthread.", module + "/keyed.", module + "/internal/engine.",
}

const module = "github.com/threadcall/threadcall"

// OnPanic has f called with each panic of a function that no caller waits for, in place of the
// report on standard error. Nil ends that.
func (x *target) OnPanic(f func(*callq.Fault)) {
	if f == nil {
		x.onPanic.Store(nil)
	} else {
		x.onPanic.Store(&f)
	}
}

// panicked keeps the panic of a function that no caller waited for on the thread of e, and reports
// it. A panic of the function that OnPanic was given ends the process: on another goroutine,
// because on this one serveAll would go on.
func (x *target) panicked(f *callq.Fault, e *Engine) {
	if o := x.owner.Value(); o != nil { // else nothing can ask for it
		o.faults.add(f)
	}
	handle := x.onPanic.Load()
	if handle == nil {
		fmt.Fprintf(os.Stderr, "threadcall: panic on %v, in a function that no caller waits for: %v\n%s",
			e, f.Value, Trace(f.Stack))
		return
	}
	defer func() {
		if v := recover(); v != nil {
			go repanic(Caught(v))
			select {}
		}
	}()
	(*handle)(f)
}

// faults keeps the panics of posted functions, the oldest first.
type faults struct {
	mu   sync.Mutex
	kept []*callq.Fault
	lost int
}

const maxFaults = 1024

func (l *faults) add(f *callq.Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == maxFaults {
		l.lost++
		return
	}
	l.kept = append(l.kept, f)
}

func (l *faults) next() (f *callq.Fault, lost int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == 0 {
		return nil, 0
	}
	f = l.kept[0]
	l.kept[0] = nil
	if l.kept = l.kept[1:]; len(l.kept) == 0 {
		l.kept = nil
		lost, l.lost = l.lost, 0
	}
	return f, lost
}
