package app

import (
	"runtime"
	"runtime/debug"
)

// A failure is a panic or a Goexit in a function of the program on the window's thread.
type failure struct {
	in    string // the method to which the function was given
	value any    // nil for a Goexit
	stack []byte
}

// check is deferred around functions of the program on the window's thread, and completed is set after them. If one panics
// or calls Goexit, the window stops, and Run ends with the first failure.
func (w *Win) check(completed *bool) {
	if !*completed {
		w.failed.CompareAndSwap(nil, &failure{in: w.inside, value: recover(), stack: debug.Stack()})
		w.Stop()
	}
}

// raise panics or calls Goexit in the caller of Run, as the function has.
func (f *failure) raise() {
	if f.value == nil {
		runtime.Goexit()
	}
	defer func() { panic(f.value) }()
	panic(&windowPanic{f}) // for the report of a crash; recover returns the value
}

type windowPanic struct{ *failure }

func (p *windowPanic) Error() string {
	return "the function given to " + p.in + " panicked:\n" + string(p.stack)
}
