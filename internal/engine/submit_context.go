package engine

import (
	"context"
	"sync"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/freelist"
	"github.com/threadcall/threadcall/internal/park"
)

// A contextPost is a posted function that is withdrawn when its context ends before it began. The
// record in the queue stays where it is, since only the thread can remove it, but refers to the
// contextPost alone.
//
//	fn      group    means                              next, by whom
//	a func  a group  it is to run                       taken, by the thread; withdrawn,
//	                                                    by end or close
//	nil     nil      it was withdrawn                   free, by the thread
//	a func  nil      its context or the thread had      free, by the poster
//	                 ended before
//
// Posts to one context form a contextGroup, which context.AfterFunc is called for once:
//
//	state  in byDone  posts  next, by whom
//	used   yes        some   unused, by the thread with the last post; ended
//	unused yes        none   used, by a poster; ended; dropped, by the thread, if it is the one
//	                         that has been unused for longest of more than maxUnused, or of a
//	                         bubble, in which nothing may stay
//	ended  no         none   none: the context has ended, or close was called; it takes no posts
//	dropped no        none   ended: the AfterFunc is being stopped
//
// All of that happens under mu, so exactly one of them gets the function. No step depends on the
// number of groups.
type contextPost struct {
	context.Context // nil if the thread must not look at it
	of              *contextGroups
	group           *contextGroup
	prev, next      *contextPost // in group
	fn              func()
	observed        *observedCall // of fn, or nil
	placed          bool          // the call has a place in a bounded queue
}

// A contextGroup is all posts of one queue to contexts that end together.
type contextGroup struct {
	done         <-chan struct{}
	stop         func() bool // of context.AfterFunc; nil if the thread must not stop it
	first        *contextPost
	older, newer *contextGroup // among those that are unused
	ended        bool
	bubble       bool // made in a bubble of testing/synctest
}

// contextGroups are those of one thread or pool.
type contextGroups struct {
	mu     sync.Mutex
	byDone map[<-chan struct{}]*contextGroup
	unused contextGroup // a ring: newer is the one that has been unused for longest
	n      int          // how many are unused
	closed bool
}

// maxUnused is how many groups without posts are kept, so that AfterFunc need not be called for
// each post to a thread that keeps up.
const maxUnused = 16

var unusedPosts freelist.List[contextPost]

// add makes a posted call that is about to be queued one of ctx, whose Done is done. It is false if
// ctx or the thread has ended. v may be nil; look says whether the thread may use ctx itself.
//
//threadcall:noalloc
func (gs *contextGroups) add(ctx context.Context, done <-chan struct{}, c *callq.Call,
	v *observedCall, look bool) bool {
	p := unusedPosts.Get()
	if p == nil {
		p = new(contextPost) //threadcall:alloc when more calls are queued than ever
	}
	p.of, p.fn, p.observed, p.placed = gs, c.Fn, v, c.Kind == callq.Placed
	if look {
		p.Context = ctx
	}
	c.Kind, c.Fn, c.Ctx = callq.WithContext, nil, p
	if ctx.Err() != nil { // during a wait for a place
		return false
	}
	var unneeded func() bool
	gs.mu.Lock()
	g := gs.byDone[done]
	if g == nil && !gs.closed {
		g, unneeded = gs.newGroup(ctx, done, look) //threadcall:alloc once for each context
	}
	queued := !gs.closed && !g.ended
	if queued {
		if g.newer != nil {
			gs.use(g)
		}
		if g.first != nil {
			g.first.prev = p
		}
		p.group, p.next = g, g.first
		g.first = p
	}
	gs.mu.Unlock()
	if unneeded != nil {
		unneeded()
	}
	return queued
}

// newGroup returns the group of ctx, which it makes unless another goroutine is faster, and what is
// to be stopped. The caller holds mu, which newGroup leaves meanwhile: a context may be of any
// package.
func (gs *contextGroups) newGroup(ctx context.Context, done <-chan struct{}, look bool) (
	g *contextGroup, unneeded func() bool) {
	gs.mu.Unlock()
	g = &contextGroup{done: done, bubble: park.InBubble()}
	stop := context.AfterFunc(ctx, func() { gs.end(g) })
	if !look && isForeign(ctx) {
		stop = nil
	}
	gs.mu.Lock()
	switch other := gs.byDone[done]; {
	case other != nil:
		return other, stop
	case gs.closed || g.ended:
		return g, stop
	case gs.byDone == nil:
		gs.byDone = map[<-chan struct{}]*contextGroup{}
		gs.unused.older, gs.unused.newer = &gs.unused, &gs.unused
	}
	g.stop = stop
	gs.byDone[done] = g
	return g, nil
}

// isForeign reports whether ctx is of another package, so that context.AfterFunc follows it with a
// goroutine. If that is in a bubble, a thread outside must not stop it.
func isForeign(ctx context.Context) bool {
	k := knower{Context: ctx}
	_ = context.Cause(&k)
	return !k.knows
}

// A knower notes whether its context knows what package context asks it for.
type knower struct {
	context.Context
	knows bool
}

func (k *knower) Value(key any) any {
	v := k.Context.Value(key)
	k.knows = v != nil
	return v
}

// use takes g out of the ring of those that are unused. The caller holds mu.
func (gs *contextGroups) use(g *contextGroup) {
	g.older.newer, g.newer.older = g.newer, g.older
	g.older, g.newer = nil, nil
	gs.n--
}

// end withdraws all functions of g, whose context has ended.
func (gs *contextGroups) end(g *contextGroup) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	gs.withdraw(g, true)
	if gs.byDone[g.done] == g {
		delete(gs.byDone, g.done)
	}
}

// close withdraws all functions, after the queue has been closed. Nothing refers to the thread
// because of a context then.
func (gs *contextGroups) close() {
	gs.mu.Lock()
	groups := gs.byDone
	gs.byDone, gs.closed = nil, true
	for _, g := range groups {
		gs.withdraw(g, false)
	}
	gs.mu.Unlock()
	for _, g := range groups {
		if g.stop != nil {
			g.stop()
		}
	}
}

// withdraw ends g. The caller holds mu.
func (gs *contextGroups) withdraw(g *contextGroup, gaveUp bool) {
	g.ended = true
	if g.newer != nil {
		gs.use(g)
	}
	for p := g.first; p != nil; p = g.first {
		p.unlink()
		p.forget(gaveUp)
	}
}

// forget leaves nothing to run. gaveUp says that the context has ended, and not the thread.
func (p *contextPost) forget(gaveUp bool) {
	p.fn = nil
	if v := p.observed; v != nil {
		p.observed = nil
		v.gaveUp = gaveUp
		v.leave()
	}
}

// unlink removes p from its group. The caller holds mu.
func (p *contextPost) unlink() {
	if p.prev == nil {
		p.group.first = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next != nil {
		p.next.prev = p.prev
	}
	p.group, p.prev, p.next = nil, nil, nil
}

// leave removes p from its group, and returns what is to be stopped outside of mu, which the caller
// holds, or nil.
//
//threadcall:noalloc
func (gs *contextGroups) leave(p *contextPost) (stop func() bool) {
	g := p.group
	if g == nil {
		return nil
	}
	if p.unlink(); g.first != nil || g.stop == nil {
		return nil
	}
	if !g.bubble {
		last := &gs.unused
		g.older, g.newer = last.older, last
		last.older.newer, last.older = g, g
		if gs.n++; gs.n <= maxUnused {
			return nil
		}
		g = gs.unused.newer
		gs.use(g)
	}
	delete(gs.byDone, g.done)
	return g.stop
}

// take frees the contextPost of a call that is in no queue any more, and returns its function, or
// nil if that has been withdrawn. The call becomes an ordinary posted one.
//
//threadcall:noalloc
func take(c *callq.Call) func() {
	p := c.Ctx.(*contextPost)
	gs := p.of
	gs.mu.Lock()
	stop := gs.leave(p)
	if p.fn != nil && p.Context != nil && p.Context.Err() != nil { // end is about to come
		p.forget(true)
	}
	fn := p.fn
	gs.mu.Unlock()
	if stop != nil {
		stop()
	}
	c.Kind, c.Ctx = callq.Posted, nil
	if p.placed {
		c.Kind = callq.Placed
	}
	*p = contextPost{}
	unusedPosts.Put(p)
	return fn
}

// runWithContext runs the function of such a call, and is false if that has been withdrawn.
//
//threadcall:noalloc
func (e *Engine) runWithContext(c *callq.Call) bool {
	if c.Fn = take(c); c.Fn != nil {
		e.runPosted(c)
		return true
	}
	if c.Kind == callq.Placed {
		e.serves().limit.leave()
	}
	c.Queue.Put(c)
	return false
}
