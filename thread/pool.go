package thread

import (
	"fmt"
	"runtime"
	"strconv"

	"github.com/threadcall/threadcall/internal/engine"
)

// A Pool is a fixed number of threads that share the work given to it. It bounds the threads that blocking system or
// C calls occupy. All methods may be called from any goroutine at any time.
//
// Functions begin in the order they were given, but run side by side; a call that closes a circle of waiting threads
// overtakes, or all would wait for ever. A Pool that is dropped without Terminate is
// reclaimed by the garbage collector, after it has run what was queued.
type Pool struct {
	p     *engine.Pool // must not lead back to the Pool
	owner *engine.Owner
}

// NewPool starts n threads. It panics if n is less than one.
func NewPool(n int, opts ...Option) *Pool {
	if n < 1 {
		panic(fmt.Sprintf("thread: NewPool(%d): a pool needs at least one thread", n))
	}
	o := options(opts)
	o.pool = true
	e, owner := engine.NewPool(n, o.limit, o.keep, func(i int) func() { return o.number(i).setup() })
	if tell := o.watcher(); tell != nil {
		owner.WatchPool(e, o.slow, tell)
	}
	p := &Pool{e, owner}
	if !e.Bubbled() {
		runtime.AddCleanup(p, (*engine.Pool).Retire, e)
	}
	return p
}

// number returns the options of thread i, if c is those of a pool.
func (c config) number(i int) config {
	if number := "-" + strconv.Itoa(i); c.pool && c.name != "" {
		c.name = c.name[:min(len(c.name), maxName-len(number))] + number
	}
	return c
}

// Size returns the number of threads.
func (p *Pool) Size() int { return p.p.Size() }

// Call runs f on one of the threads and returns true after it. A call made on one of them runs in place. It returns
// false, and f will not run, if f is nil or the pool is terminated before f begins.
//
// Panics and Goexit are as in [Thread.Call].
//
//threadcall:noalloc
func (p *Pool) Call(f func()) bool {
	ok := p.p.Call(f)
	runtime.KeepAlive(p)
	return ok
}

// Go queues f to run on one of the threads and returns true. It never blocks unless [WithQueueLimit] says so. It
// returns false, and f will not run, if f is nil or the pool is terminated. A panic in f is kept for [Pool.Error].
//
//threadcall:noalloc
func (p *Pool) Go(f func()) bool {
	ok := p.p.Go(f)
	runtime.KeepAlive(p)
	return ok
}

// Error is [Thread.Error], for functions given to the pool's Go.
func (p *Pool) Error() error { return asError(p.owner.Fault()) }

// Terminate ends the threads. What [Thread.Terminate] says holds for each of them.
func (p *Pool) Terminate() { p.p.Terminate() }
