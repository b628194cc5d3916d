package engine

import (
	"context"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/park"
)

// A Pool is several engines that share the calls made to it.
//
// Under mu, either a thread is among the idle ones or there is no backlog: a call goes to the queue of the thread
// that became idle last, which is the likeliest to be still awake, and waits in the backlog only if none is idle; a
// thread says that it is idle only when it finds the backlog empty.
type Pool struct {
	workers []*Engine
	records *callq.Queue // only to get records from
	line    line         // for callers in the backlog
	faults  faults
	limit   *limit
	watch   atomic.Pointer[watch]

	mu      sync.Mutex
	idle    []*Engine
	backlog callq.List
	closed  bool
	retired bool
}

// NewPool starts n threads, each of which runs setup(i) first. limit is as in New.
func NewPool(n, limit int, setup func(i int)) *Pool {
	p := &Pool{records: callq.New(), workers: make([]*Engine, n), idle: make([]*Engine, 0, n), limit: newLimit(limit)}
	p.line.init()
	for i := range p.workers {
		p.workers[i] = New(0)
		p.workers[i].pool = p
	}
	for i, e := range p.workers {
		e.Start(func() { setup(i) })
	}
	return p
}

// Size returns how many threads there are.
func (p *Pool) Size() int { return len(p.workers) }

// Call runs fn on one of the threads and returns after it. False means that fn did not and will not run.
func (p *Pool) Call(fn func()) bool {
	if fn == nil {
		return false
	}
	g := ident.G()
	if e := p.worker(); e != nil {
		return e.nested(g, fn)
	}
	if w := p.watch.Load(); w != nil {
		fn = w.wrap(fn)
	}
	if trace.IsEnabled() {
		return marked(context.Background(), fn, func(run func()) bool { return p.call(g, run) })
	}
	return p.call(g, fn)
}

// call submits fn and waits for it.
func (p *Pool) call(g uintptr, fn func()) bool {
	c := p.records.Get(callq.Awaited, fn, g)
	e, wake, ok := p.submit(c)
	switch {
	case !ok:
		return finish(c, callq.Refused)
	case e != nil:
		return finish(c, e.await(nil, c, wake, false))
	}
	start := park.Now()
	o := p.line.spin(c, start, false, false)
	if o == 0 {
		o = doze(nil, c, nil, p, false)
		p.line.dozed(park.Now() - start)
	}
	return finish(c, o)
}

// worker returns the thread that the caller is on, or nil.
func (p *Pool) worker() *Engine {
	g := ident.G()
	for _, e := range p.workers {
		if e.g.Load() == g {
			return e
		}
	}
	return nil
}

// On tells whether the caller is on one of the threads.
func (p *Pool) On() bool { return p.worker() != nil || slices.ContainsFunc(p.workers, (*Engine).On) }

// Go queues fn. False means that it will not run.
func (p *Pool) Go(fn func()) bool {
	if fn == nil {
		return false
	}
	if w := p.watch.Load(); w != nil {
		fn = w.wrap(fn)
	}
	var task *trace.Task
	if trace.IsEnabled() {
		task, fn = markGo(fn)
	}
	c := p.records.Get(p.limit.enter(p), fn, 0)
	if _, _, ok := p.submit(c); !ok {
		c.Fn = nil
		p.records.Put(c)
		if task != nil {
			task.End()
		}
		return false
	}
	return true
}

// submit gives c to an idle thread, or to the backlog.
func (p *Pool) submit(c *callq.Call) (e *Engine, wake, ok bool) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, false, false
	}
	n := len(p.idle)
	if n == 0 {
		p.backlog.Append(c)
		p.mu.Unlock()
		return nil, false, true
	}
	e = p.idle[n-1]
	p.idle = p.idle[:n-1]
	e.listed = false
	p.mu.Unlock()
	if wake, _, ok = e.q.Push(c); ok && wake {
		e.wakeFromCaller()
	}
	return e, wake, ok
}

// next returns what e is to run next. If there is nothing, e is idle from then on.
func (p *Pool) next(e *Engine) *callq.Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.backlog.Pop()
	switch {
	case c != nil || p.closed || e.listed:
	case p.retired:
		e.q.Close()
	default:
		p.idle = append(p.idle, e)
		e.listed = true
	}
	return c
}

// take removes c from the backlog, if it is there.
func (p *Pool) take(c *callq.Call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.backlog.Remove(c)
}

// Fault is Engine.Fault, for functions given to the pool's Go.
func (p *Pool) Fault() (f *callq.Fault, lost int) { return p.faults.next() }

// Terminate refuses all calls that have not begun and ends the threads.
func (p *Pool) Terminate() {
	p.mu.Lock()
	p.closed = true
	refused := p.backlog
	p.backlog = callq.List{}
	p.mu.Unlock()
	p.limit.close()
	refused.Refuse()
	for _, e := range p.workers {
		e.Terminate()
	}
}

// Retire ends the threads after they have run what is queued.
func (p *Pool) Retire() {
	p.mu.Lock()
	p.retired = true
	for _, e := range p.idle {
		e.listed = false
	}
	p.idle = p.idle[:0]
	p.mu.Unlock()
	for _, e := range p.workers {
		e.nudge()
	}
}
