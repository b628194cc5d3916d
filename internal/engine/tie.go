package engine

import (
	"context"
	"sync"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/freelist"
	"github.com/threadcall/threadcall/internal/park"
)

// A tie is what a posted function has to do with a context: when that ends first, the function is withdrawn. The record in
// the queue stays where it is, since only the thread can remove it, but refers to the tie alone, and the tie to nothing more.
//
//	fn      means                                    by       in
//	a func  it is to run                             poster   tie
//	nil     it was withdrawn: ctx ended, or the      anyone   end, cut
//	        queue was closed
//	nil     the thread has taken it                  thread   untie
//
// All of that happens under ties.mu, so exactly one of them gets the function.
//
// Ties to one context form a bundle, which context.AfterFunc is called for once. So that it need not be called for each post to a
// thread that keeps up, some bundles without ties are kept.
type tie struct {
	context.Context // nil if the thread must not look at it
	of              *ties
	bundle          *bundle // nil if it is in none
	prev, next      *tie    // in bundle
	fn              func()
	visit           *visit // of fn, or nil
	placed          bool   // the call has a place in a bounded queue
}

// A bundle is all ties of one queue to contexts that end together.
type bundle struct {
	done   <-chan struct{}
	stop   func() bool // of context.AfterFunc
	first  *tie
	ended  bool
	bubble bool // made in a bubble of testing/synctest, in which nothing may stay
}

// ties are those of one thread or pool.
type ties struct {
	mu      sync.Mutex
	bundles map[<-chan struct{}]*bundle
}

// maxIdle is how many bundles there may be if some have no ties.
const maxIdle = 16

var spareTies freelist.List[tie]

// tie ties a posted call that is about to be queued to ctx, whose Done is done. It is false if ctx has ended. v may be nil;
// look says whether the thread may use ctx itself.
//
//threadcall:noalloc
func (ts *ties) tie(ctx context.Context, done <-chan struct{}, c *callq.Call, v *visit, look bool) bool {
	t := spareTies.Get()
	if t == nil {
		t = new(tie) //threadcall:alloc when more calls are queued than ever
	}
	t.of, t.fn, t.visit, t.placed = ts, c.Fn, v, c.Kind == callq.Placed
	if look {
		t.Context = ctx
	}
	c.Kind, c.Fn, c.Ctx = callq.Tied, nil, t
	if ctx.Err() != nil { // during a wait for a place
		return false
	}
	ts.mu.Lock()
	g := ts.bundles[done]
	if g == nil {
		g = ts.newBundle(ctx, done) //threadcall:alloc once for each context
	}
	defer ts.mu.Unlock()
	if g.ended {
		return false
	}
	if g.first != nil {
		g.first.prev = t
	}
	t.bundle, t.next = g, g.first
	g.first = t
	return true
}

// newBundle makes the bundle of ctx. The caller holds mu, which newBundle leaves meanwhile: a context may be of any package.
func (ts *ties) newBundle(ctx context.Context, done <-chan struct{}) *bundle {
	ts.mu.Unlock()
	g := &bundle{done: done, bubble: park.InBubble()}
	stop := context.AfterFunc(ctx, func() { ts.end(g) })
	ts.mu.Lock()
	g.stop = stop
	if other := ts.bundles[done]; other != nil {
		go stop()
		return other
	}
	if g.ended {
		return g
	}
	if ts.bundles == nil {
		ts.bundles = map[<-chan struct{}]*bundle{}
	}
	if len(ts.bundles) >= maxIdle {
		for _, old := range ts.bundles {
			if old.first == nil {
				delete(ts.bundles, old.done)
				go old.stop()
				break
			}
		}
	}
	ts.bundles[done] = g
	return g
}

// end withdraws all functions of g, whose context has ended.
func (ts *ties) end(g *bundle) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	g.ended = true
	if ts.bundles[g.done] == g {
		delete(ts.bundles, g.done)
	}
	for g.first != nil {
		g.first.withdraw(true)
	}
}

// cut withdraws all functions, after the queue has been closed.
func (ts *ties) cut() {
	ts.mu.Lock()
	bundles := ts.bundles
	ts.bundles = nil
	for _, g := range bundles {
		g.ended = true
		for g.first != nil {
			g.first.withdraw(false)
		}
	}
	ts.mu.Unlock()
	for _, g := range bundles {
		g.stop()
	}
}

// withdraw is forget for a tie in a bundle. The caller holds mu.
func (t *tie) withdraw(gaveUp bool) {
	t.unlink()
	t.forget(gaveUp)
}

// forget leaves nothing to run. gaveUp says that the context has ended, and not the thread.
func (t *tie) forget(gaveUp bool) {
	t.fn = nil
	if v := t.visit; v != nil {
		t.visit = nil
		v.gaveUp = gaveUp
		v.leave()
	}
}

// unlink removes t from its bundle. The caller holds mu.
func (t *tie) unlink() {
	if t.prev == nil {
		t.bundle.first = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	}
	t.bundle, t.prev, t.next = nil, nil, nil
}

// untie removes the tie of a call that is in no queue any more, and returns its function, or nil if that has been withdrawn. The call
// becomes an ordinary posted one.
//
//threadcall:noalloc
func untie(c *callq.Call) func() {
	t := c.Ctx.(*tie)
	ts := t.of
	var stop func() bool
	ts.mu.Lock()
	if g := t.bundle; g != nil {
		t.unlink()
		if g.first == nil && !g.ended && (g.bubble || len(ts.bundles) > maxIdle) {
			delete(ts.bundles, g.done)
			stop = g.stop
		}
	}
	if t.fn != nil && t.Context != nil && t.Context.Err() != nil { // end is about to come
		t.forget(true)
	}
	fn := t.fn
	ts.mu.Unlock()
	if stop != nil {
		stop()
	}
	c.Kind, c.Ctx = callq.Posted, nil
	if t.placed {
		c.Kind = callq.Placed
	}
	*t = tie{}
	spareTies.Put(t)
	return fn
}

// runTied runs the function of a tied call, and is false if that has been withdrawn.
//
//threadcall:noalloc
func (e *Engine) runTied(c *callq.Call) bool {
	if c.Fn = untie(c); c.Fn != nil {
		e.runPosted(c)
		return true
	}
	if c.Kind == callq.Placed {
		if e.pool != nil {
			e.pool.limit.leave()
		} else {
			e.limit.leave()
		}
	}
	c.Queue.Put(c)
	return false
}
