package mainthread

import (
	"context"

	"github.com/threadcall/threadcall/thread"
)

// The names of golang.design/x/mainthread that this package would not have by itself. They stay, so
// that a program of that package changes its import path and nothing else.

// CallV runs f on the main thread and returns its result, or the zero value if f does not run.
// [thread.EvalContext] with [Thread] reports why it does not, and [thread.MustEval] panics.
//
//threadcall:noalloc
func CallV[T any](f func() T) T {
	v, _ := thread.EvalContext(context.Background(), main, f)
	return v
}

// Error is [TakePanic], with a nil error for a nil panic.
//
// Deprecated: use [TakePanic].
func Error() error {
	if p := TakePanic(); p != nil {
		return p
	}
	return nil
}
