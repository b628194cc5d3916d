// Package thread has the names of golang.design/x/thread and golang.design/x/runtime/thread, with
// their types, on threads of threadcall. A program names the module in a replace directive for
// golang.design/x/thread, or imports the package by its own path: see README.md.
//
// Unlike there, Go of a Thread never waits, functions may call the thread that they are on and each
// other in cycles, a panic in a function of Call reaches the caller, and one in a function of Go is
// reported on standard error: neither ends the thread.
package thread

import (
	"context"
	"fmt"

	"github.com/threadcall/threadcall/thread"
)

// A Thread is one thread of the operating system that runs functions. It ends when it is dropped.
type Thread interface {
	// ID returns a number that no other Thread of the process has.
	ID() uint64

	// Call runs fn on the thread and returns after it, or when fn is nil or the thread terminated.
	Call(fn func())

	// Go queues fn to run on the thread, unless fn is nil or the thread terminated before it begins.
	Go(fn func())

	// SetTLS stores x with the thread, in place of what was stored before.
	SetTLS(x any)

	// GetTLS returns what SetTLS has stored, or nil.
	GetTLS() any

	// Terminate, once or more, ends the thread after the function that runs. Queued ones do not run.
	Terminate()
}

// New starts a thread.
func New() Thread { return owned{thread.New()} }

type owned struct{ t *thread.Thread }

func (o owned) ID() uint64     { return o.t.ID() }
func (o owned) Call(fn func()) { o.t.Call(fn) }
func (o owned) Go(fn func())   { o.t.Go(fn) }
func (o owned) SetTLS(x any)   { tls.Set(o.t, x) }
func (o owned) GetTLS() any    { return tls.Get(o.t) }
func (o owned) Terminate()     { o.t.Terminate() }

var tls thread.Local[any]

// Eval runs fn on th and returns its result, or the zero value if fn does not run.
func Eval[T any](th Thread, fn func() T) T {
	if o, ok := th.(owned); ok {
		v, _ := thread.EvalContext(context.Background(), o.t, fn)
		return v
	}
	var v T
	if fn != nil { // on another Thread, such as one that a test has made
		th.Call(func() { v = fn() })
	}
	return v
}

// A Pool is a fixed number of threads that share the functions given to it.
type Pool struct {
	p    *thread.Pool
	size int
}

// NewPool starts n threads. It panics if n is less than one.
func NewPool(n int) *Pool {
	if n < 1 {
		panic(fmt.Sprintf("thread: NewPool(%d); it needs at least one thread", n))
	}
	return &Pool{thread.NewPool(n, thread.WithQueueLimit(1)), n}
}

// Size returns the number of threads.
func (p *Pool) Size() int { return p.size }

// Go queues fn to run on one of the threads and returns true. It waits while all threads are busy
// and a function of Go is queued. Then fn runs, even if the pool is terminated meanwhile. Go
// returns false, and fn will not run, if fn is nil or the pool is terminated first.
func (p *Pool) Go(fn func()) bool { return p.p.Go(fn) }

// Call runs fn on one of the threads and returns true after it, or false if it will not run.
func (p *Pool) Call(fn func()) bool { return p.p.Call(fn) }

// Terminate refuses functions from now on, and ends the threads, later, when the others have run.
func (p *Pool) Terminate() {
	ctx, end := context.WithCancel(context.Background())
	end()
	_ = p.p.Shutdown(ctx)
}

// EvalPool is Call for a function with a result, which it returns if fn has run.
func EvalPool[T any](p *Pool, fn func() T) (T, bool) {
	v, err := thread.EvalContext(context.Background(), p.p, fn)
	return v, err == nil
}
