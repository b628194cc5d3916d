package engine

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/stack"
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
	return "a function called on another thread panicked there:\n" + stack.Trace(o.Stack)
}

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
			e, f.Value, stack.Trace(f.Stack))
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
