package report

import (
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// Own reports whether the frame is of threadcall, or of package runtime/trace, which marks calls.
func (f Frame) Own() bool {
	switch symbol.Package(f.Func) {
	case "runtime/trace",
		"github.com/threadcall/threadcall/thread",
		"github.com/threadcall/threadcall/mainthread",
		"github.com/threadcall/threadcall/internal/engine":
		return true
	}
	return false
}

// Caller returns the stack of the caller, without threadcall's frames.
func (c Call) Caller() []Frame {
	if i := slices.IndexFunc(c.From, func(f Frame) bool { return !f.Own() }); i > 0 {
		return c.From[i:]
	}
	return c.From
}

// Function returns the stack of the thread up to the function that was called.
func (c Call) Function() []Frame {
	if i := slices.IndexFunc(c.On, Frame.Own); i > 0 {
		return c.On[:i]
	}
	return c.On
}
