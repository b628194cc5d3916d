package thread

// The names of golang.design/x/thread that this package would not have by itself. They stay, so
// that a program of that package changes its import path and nothing else. For each there is
// another name that says more: why a function did not run, or what type a value has.

// Eval runs f on c and returns its result, or the zero value if f does not run. [EvalContext]
// reports why it does not, and [MustEval] panics.
//
//threadcall:noalloc
func Eval[T any](c Caller, f func() T) T {
	v, _ := eval(c.Call, f)
	return v
}

// EvalPool is [Eval] on a Pool, and reports whether f ran.
//
// Deprecated: use [EvalContext] or [MustEval].
//
//threadcall:noalloc
func EvalPool[T any](p *Pool, f func() T) (T, bool) { return eval(p.Call, f) }

var tls Local[any]

// SetTLS stores x with the thread, in place of what was stored before.
//
// Deprecated: use a [Local], which has a type and need not be shared.
//
//threadcall:noalloc
func (t *Thread) SetTLS(x any) { tls.Set(t, x) }

// GetTLS returns what SetTLS stored, or nil.
//
// Deprecated: use a [Local].
//
//threadcall:noalloc
func (t *Thread) GetTLS() any { return tls.Get(t) }
