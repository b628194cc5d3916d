package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/list"
)

// A Pool is several engines that share the calls made to it.
//
// All calls go to the backlog, and threads take them from there. A thread becomes idle only when it
// finds the backlog empty. When there is a call again, the thread that became idle last, and is the
// likeliest to be awake, is notified by a record in its own queue. While it is coming, no other is
// notified, because running threads may take all calls, and it may take several: if one came for
// each call, 8 callers of empty functions would take 1.8 times the CPU time. But if functions are
// long, one comes for each, so that no core is idle meanwhile. When a thread has come, it notifies
// the next before it runs a call.
//
// While functions are brief and a thread is coming or spins, one caller looks for its outcome
// before it has another notified, which would come in vain. So under mu, if there is a backlog
// beside the call of that caller, either a thread is coming or none is idle.
type Pool struct {
	target
	ended atomic.Int32 // threads

	mu      sync.Mutex
	idle    list.List[*Engine]
	coming  int  // threads that were notified and have not looked at the backlog since
	long    bool // functions take longer than half a wake-up
	short   bool // they are brief
	spared  bool // a wait has counted on threads that are not busy
	backlog list.List[*callq.Call]
	last    *Engine     // the thread that was notified last, or has taken a call since
	looks   *callq.Call // in the backlog; its caller looks for its outcome, and then calls seek
}

// The place of a thread in its pool.
type place struct {
	index  int                // in pool.workers
	among  list.Node[*Engine] // pool.idle; guarded by pool.mu
	coming bool               // notified of the pool's backlog; guarded by pool.mu
	busy   atomic.Bool        // a function runs there that came from the backlog, or a start function
}

// NewPool returns n engines without threads. The Owner is as in New.
func NewPool(n int, c Config) (*Pool, *Owner) {
	o := new(Owner)
	p := new(Pool)
	c.Own = true
	p.workers = make([]*Engine, n)
	p.pool, p.records, p.bubble = p, callq.New(), clock.Bubble()
	p.records.Several(true)
	for i := range p.workers {
		e := newEngine(c)
		e.of, e.pool, e.index, e.yields = &p.target, p, i, &p.ownYields
		p.workers[i] = e
	}
	p.on = p.workers[0]
	p.target.init(c, o)
	for _, e := range p.workers {
		e.q.Owner = &p.observer
	}
	p.list()
	return p, o
}

// Start gives each engine a thread.
func (p *Pool) Start() {
	for _, e := range p.workers {
		e.Start()
	}
}

// CallEach runs fn(i) on thread i, on all at once, and returns after all. If some functions panic
// or call Goexit, it does what the first of them did. After that, or if a Goexit unwinds the caller
// while it waits, others may still run, and the caller must end the pool, and wait for that. Each
// wait is published as one for the whole pool, because the function on one thread may wait for that
// on another by means that the engine does not know.
func (p *Pool) CallEach(fn func(i int)) {
	self := Self()
	calls := make([]*callq.Call, len(p.workers))
	for i, e := range p.workers {
		run, _ := p.observer.Wrap(never, nil, func() { fn(i) }, true)
		calls[i] = e.q.Get(callq.Awaited, run, self.poster())
		if wake, _, ok := e.q.Push(calls[i]); !ok {
			calls[i].Settle(callq.Refused)
		} else if wake {
			e.wake(false)
		}
	}
	for _, c := range calls {
		if self != nil {
			finish(c, self.waitFor(wait{call: c, group: p}, nil))
		} else {
			finish(c, block(nil, c, nil, nil))
		}
	}
}

// Call runs fn on one of the threads and returns after it. False means that fn did not and will not
// run.
//
//threadcall:noalloc
func (p *Pool) Call(fn func()) bool { return p.CallContext(never, fn) == nil }

// Go queues fn to run on one of the threads. False means that it will not run.
//
//threadcall:noalloc
func (p *Pool) Go(fn func()) bool { return p.post(never, fn, waits) }

// add puts c in the backlog, and notifies e if it must come. If may is true and looks as well, the
// caller of c is to look for its outcome, as e will do it, and then to call seek.
//
//threadcall:noalloc
func (p *Pool) add(c *callq.Call, may bool) (e *Engine, wake, looks, ok bool) {
	p.mu.Lock()
	if p.phase.Load() != open {
		p.mu.Unlock()
		return nil, false, false, false
	}
	c.Worker = 0
	p.backlog.Append(&c.Node)
	e = p.last
	if looks = may && p.short && p.looks == nil && p.backlog.Len <= 2 && e != nil &&
		!e.waits.Parks && (p.coming > 0 || !e.among.Listed() && e.waits.Spin.Load() > 0); looks {
		p.looks = c
	} else {
		e = p.choose()
	}
	p.mu.Unlock()
	return e, !looks && e != nil && e.Control(nil), looks, true
}

// seek notifies a thread, after the caller of c has looked in vain.
//
//threadcall:noalloc
func (p *Pool) seek(c *callq.Call) {
	var e *Engine
	p.mu.Lock()
	if p.looks == c {
		p.looks = nil
		e = p.choose()
	}
	p.mu.Unlock()
	if e != nil {
		e.Control(nil)
	}
}

// choose returns a thread that is to come, which the caller notifies when it has left mu, or nil if
// none is idle, or enough are coming.
//
//threadcall:noalloc
func (p *Pool) choose() *Engine {
	last := p.idle.Last
	calls := p.backlog.Len
	if p.looks != nil {
		calls--
	}
	if last == nil || p.coming >= calls || p.coming > 0 && !p.long {
		return nil
	}
	last.Remove()
	last.Value.coming = true
	p.coming++
	p.last = last.Value
	return last.Value
}

// next returns what e is to run next. If there is nothing, e is idle from then on.
//
//threadcall:noalloc
func (p *Pool) next(e *Engine) (c *callq.Call) {
	p.mu.Lock()
	came := e.coming
	if came {
		e.coming = false
		p.coming--
	}
	p.long = !e.idleState.Spins && e.idleState.every == 1
	p.short = e.idleState.brief()
	n := p.backlog.First
	switch {
	case n != nil:
		c = p.give(n.Value, e)
	case p.phase.Load() == closing:
		e.enter(closed)
		e.q.Close()
	case !e.among.Listed():
		p.idle.Append(&e.among)
	}
	var other *Engine
	if came {
		other = p.choose()
	}
	e.busy.Store(c != nil)
	taken := p.spared && p.backlog.Len > 0 && p.isBusy() // what a wait has counted on
	p.spared = p.spared && p.backlog.Len > 0 && !taken
	p.mu.Unlock()
	if taken {
		for _, x := range p.workers {
			x.again.Store(true)
			x.notify(nil)
		}
	}
	if other != nil {
		other.Control(nil)
	}
	return c
}

// isBusy reports whether all threads are busy. The caller holds mu: no thread becomes busy.
func (p *Pool) isBusy() bool {
	return !slices.ContainsFunc(p.workers, func(e *Engine) bool { return !e.busy.Load() })
}

// needs is wait.needs for call, in the backlog or taken from it, or for a place if that is nil.
func (p *Pool) needs(call *callq.Call) []*Engine {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case call != nil && call.Worker > 0:
		return p.workers[call.Worker-1 : call.Worker]
	case p.isBusy():
		return p.workers
	}
	p.spared = true
	return nil
}

// give removes c from the backlog for e to run. What waits for c depends on e alone from then on.
//
//threadcall:noalloc
func (p *Pool) give(c *callq.Call, e *Engine) *callq.Call {
	c.Node.Remove()
	p.last = e
	if c == p.looks {
		p.looks = nil
	}
	c.Worker = int32(e.index + 1)
	return c
}

// Terminate refuses all calls that have not begun and ends the threads.
func (p *Pool) Terminate() {
	if !p.Reachable() {
		return
	}
	p.mu.Lock()
	p.enter(closed)
	for n := p.backlog.First; n != nil; n = p.backlog.First {
		n.Remove()
		n.Value.Refuse()
	}
	p.mu.Unlock()
	for _, e := range p.workers {
		e.Terminate()
	}
}
