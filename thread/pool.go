package thread

import (
	"context"
	"fmt"
	"runtime"

	"github.com/threadcall/threadcall/internal/engine"
)

// A Pool is a fixed number of threads that share the functions given to it, to bound the threads
// that blocking system or C calls occupy. All methods may be called from any goroutine at any time.
//
// Functions begin in the order in which they were given, and run side by side. Only a call that
// closes a cycle of waiting threads, which would wait for ever, overtakes others. A Pool that is
// dropped is reclaimed by the garbage collector, after it has run what was queued.
type Pool struct {
	p     *engine.Pool // must not lead back to the Pool
	owner *engine.Owner
}

// NewPool starts n threads. It panics if n is less than one.
func NewPool(n int, opts ...Option) *Pool {
	o := options(opts)
	p := newPool(n, o)
	for _, e := range p.p.Workers() {
		o.hooks.begin(e, p.p)
	}
	p.p.Start()
	return p
}

// newPool makes a pool whose threads have not been started.
func newPool(n int, o config) *Pool {
	if n < 1 {
		panic(fmt.Sprintf("thread: a pool of %d threads; it needs at least one", n))
	}
	e, owner := engine.NewPool(n, o.Config)
	p := &Pool{e, owner}
	p.OnSlowCall(o.slow, o.notify)
	p.OnPanic(o.handle)
	if !e.Bubbled() {
		runtime.AddCleanup(p, (*engine.Pool).Retire, e)
	}
	return p
}

// ID is [Thread.ID] of the pool.
//
//threadcall:noalloc
func (p *Pool) ID() uint64 { return p.p.ID() }

// Call runs f on one of the threads and returns true after it. A call made on one of them runs in
// place. It returns false, and f will not run, if f is nil or the pool is terminated first.
//
// Panics and Goexit are as in [Thread.Call].
//
//threadcall:noalloc
func (p *Pool) Call(f func()) bool {
	return kept(p.p.Call(f), p)
}

// CallContext is Call, but gives up when ctx is done before f begins. See [Thread.CallContext].
//
//threadcall:noalloc
func (p *Pool) CallContext(ctx context.Context, f func()) error {
	return kept(p.p.CallContext(ctx, f), p)
}

// Go queues f to run on one of the threads and returns true. It returns false, and f will not run,
// if f is nil or the pool is terminated. See [Thread.Go].
//
//threadcall:noalloc
func (p *Pool) Go(f func()) bool {
	return kept(p.p.Go(f), p)
}

// TryGo is Go, but returns false at once if the queue is full. See [Thread.TryGo].
//
//threadcall:noalloc
func (p *Pool) TryGo(f func()) bool {
	return kept(p.p.TryGo(f), p)
}

// GoContext is Go, but f does not run if ctx is done when its turn comes. See [Thread.GoContext].
//
//threadcall:noalloc
func (p *Pool) GoContext(ctx context.Context, f func()) error {
	return kept(p.p.GoContext(ctx, f), p)
}

// Done returns a channel that is closed when all threads have ended. See [Thread.Done].
func (p *Pool) Done() <-chan struct{} { return p.p.Done() }

// Close ends the threads when they have run all queued functions, and waits for that. Later
// functions are refused at once, those of Call too, even if a function of the pool waits for their
// caller. Only calls that are made on one of the threads still run, in place. Close does not wait
// on one of the threads, nor in a function that one of them waits for, directly or through other
// threads. It runs calls meanwhile as [Thread.Close] does.
func (p *Pool) Close() { _ = p.Shutdown(context.Background()) }

// Shutdown is Close, but waits only until ctx is done. See [Thread.Shutdown].
func (p *Pool) Shutdown(ctx context.Context) error {
	return kept(p.p.Shutdown(ctx), p)
}

// OnPanic is [Thread.OnPanic] of the pool.
func (p *Pool) OnPanic(f func(*PanicError)) { p.p.OnPanic(handler(f)) }

// Terminate ends the threads. Each ends as [Thread.Terminate] says.
func (p *Pool) Terminate() { p.p.Terminate() }
