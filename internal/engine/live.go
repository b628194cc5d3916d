package engine

import (
	"context"
	"runtime/pprof"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/pin"
)

// The phase of a target, which is a thread or a pool, only grows. All goroutines read it, and not
// the channels of the target, which a bubble of testing/synctest may own:
//
//	phase    posts        calls                         what is queued  entered by
//	open     are queued   are queued                    runs            New
//	closing  are refused  are queued, and refused in    runs            Retire
//	                      their turn, see end; those
//	                      of a pool are refused
//	closed   are refused  are refused                   is refused      Terminate; a thread of a
//	                                                                    closing pool that has
//	                                                                    nothing to run, for itself
//	over     the same                                   nothing; no     ended, when the last
//	                                                    function runs   identity has ended
//
// The goroutine that enters closing or closed from open closes the limit, the one that enters
// closing also queues what ends the thread or wakes those of the pool, and the one that enters over
// closes done. That of a pool is entered under its mu, but for over.
//
// Any number of goroutines may call Terminate at the same time, and each does all of it, so when
// one has returned, nothing begins:
//
//	closed    the phase, so that what comes from now on refuses by itself
//	refused   both lists of the queue, see callq.Queue.Close
//	stopped   what AtTerminate lists
//	woken     the thread, by the goroutine that entered closed. But if an adopted one does not
//	          serve, and may be resting or has left calls, by the goroutine that takes onWake: the
//	          pusher that owes a wake-up, the thread itself, or another Terminate may not have come
//	          to it
//	ended     an adopted thread that does not serve: its identity ends, and it is over. Before, its
//	          cleanups run if the goroutine is the adopted one; otherwise they run when that calls
//	          GiveBack, which begins the identity again for them. GiveBack ends a thread to which no
//	          Terminate has come, too, since it is about to run others. One that serves ends itself;
//	          ending is held to look whether it does, or to begin with the cleanups
const (
	open = iota
	closing
	closed
	over
)

// enter changes the phase, and reports whether it was an earlier one.
func (x *target) enter(phase uint32) bool {
	for before := x.phase.Load(); before < phase; before = x.phase.Load() {
		if x.phase.CompareAndSwap(before, phase) {
			if before == open && x.limit != nil {
				close(x.limit.closed) // which lets posters through to be refused
			}
			return true
		}
	}
	return false
}

// Terminated reports whether Terminate has been called.
func (x *target) Terminated() bool { return x.phase.Load() >= closed }

// The life of a thread, from its start to its end.
type life struct {
	served atomic.Uint32 // twice the number of calls of Serve, ServeContext and Wait, and byWait
	exits  atomic.Int64  // how many Goexits have left frames on the stack; only the thread adds to it

	ending sync.Mutex // of an adopted thread, see above

	// only the thread's, once it runs
	stops    []func() // what the thread runs last
	stopping bool     // it runs that or cleanups, or has
}

// Start gives the engine, which is to have one, a thread of its own. From then on, functions may
// run there, and may terminate the engine.
func (e *Engine) Start() {
	if e.Keep {
		select {
		case kept <- e:
			return
		default:
		}
	}
	first := e
	pin.Go(func() {
		e, lives := first, 1
		e.claimOwn()
		serveAll(func() {
			for {
				e.loop()
				e.idleState.Stop()
				e.runStops()
				e.Counts.Rest(clock.Now())
				e.endIdentity()
				keep, exits := e.Keep, e.exits.Load()
				e.ended()
				if !keep {
					return
				}
				e = nil // or it would not be collected
				e = <-kept
				e.exits.Store(exits) // the stack is the same
				if lives++; lives < maxLocked {
					pin.Lock(pin.Spare) // as many of those before may be gone
				}
				e.claimOwn()
			}
		}, func() { e.countExit() }, func() {
			if !pin.EndsThread {
				pin.Unlock(1 + min(lives, maxLocked)*pin.Spare)
			}
		})
	})
}

// Kept threads without an engine receive the next from kept.
var kept = make(chan *Engine)

// maxLocked is the number of lives in which a thread is locked again. The runtime counts to four
// times as many locks.
const maxLocked = 1 << 20

// claimOwn is claim for an engine with a thread of its own.
func (e *Engine) claimOwn() {
	pprof.SetGoroutineLabels(never) // not those of what has called New, or of the life before
	e.claim()
	e.Counts.Work(clock.Now())
	e.nameThread()
}

// First has the engine's own thread run f before anything else. It must be called before Start.
func (e *Engine) First(f func()) {
	f, _ = e.of.observer.Wrap(never, nil, f, true)
	e.busy.Store(true)
	e.q.Push(e.q.Get(callq.Posted, f, 0))
}

// A Hook is a function that the engine's own thread runs first, or one that it runs last.
type Hook struct {
	Start func() error // or nil
	Stop  func()
}

// Prepare runs the start functions of hooks, on the engine's own thread, until one returns an
// error, and returns that. The thread runs the stop functions behind those that have succeeded
// last, in reverse. Those before the first belong to all. If one fails, panics or calls Goexit, no
// other engine will be given the thread. Without start functions, Prepare may be called before
// Start.
func (e *Engine) Prepare(hooks []Hook) error {
	keep := e.Keep
	e.Keep = false
	e.starting.Store(true)
	defer e.starting.Store(false)
	var stops []func()
	ofAll := -1 // how many come before the first start
	for _, h := range hooks {
		if h.Start == nil {
			stops = append(stops, h.Stop)
			continue
		}
		if ofAll < 0 {
			ofAll = len(stops)
		}
		e.stops = stops[ofAll:] // if this start fails
		if err := h.Start(); err != nil {
			return err
		}
	}
	e.Keep, e.stops = keep, stops
	return nil
}

// runStops runs each stop function once, the last first, after the cleanups. After a Goexit it is
// called again.
func (e *Engine) runStops() {
	e.runCleanups()
	for n := len(e.stops) - 1; n >= 0; n-- {
		f := e.stops[n]
		e.stops = e.stops[:n]
		e.runLast(f)
	}
	e.stops = nil
}

// runLast runs f like a posted function that nothing has queued.
func (e *Engine) runLast(f func()) {
	e.stopping = true
	f, v := e.of.observer.Wrap(never, nil, f, true)
	if v != nil {
		v.IsOf(&e.Thread) // which GiveBack may come to when the identity has ended
	}
	e.runPosted(e.q.Get(callq.Posted, f, 0))
}

// beginServing and endServing enclose code that may run calls. A thread that is terminated
// meanwhile completes the calls that have begun, and so keeps its identity until they have ended.
// Terminate closes the queue and then looks at serving, endServing changes serving and then looks
// at the queue: at least one of them sees the other.
//
// endServing also announces queued functions to a host, again: functions that ran may have taken
// all events from the host's event loop, and with them the event of OnWake's callback. If a
// callback of Wait's block has served, block is also woken, once, when the thread has been
// terminated.
//
// n is 1, or in beginLoop and endLoop 1 + loops.
func (e *Engine) beginServing(n int64) {
	e.serving.Add(n)
	if c := e.current; c != nil {
		c.Begun()
	}
}

// beginLoop and endLoop do the same for code that runs all calls: kind is byWait in Wait. Callers
// that still wait when no such code is under way may wait for ever, see unserved.
//
// The function that encloses the loop does not run meanwhile, for what reports how long functions
// run. When the loop has ended, it runs again; but if a native loop has the thread, it is that loop
// as a rule, and does not. outer is what beginLoop has returned.
func (e *Engine) beginLoop(kind uint32) (outer uint) {
	e.served.Store(e.served.Load() + 2 | kind)
	outer = e.Counts.Enclosing
	e.Counts.Enclosing = e.Counts.Inside()
	e.Pause()
	e.beginServing(1 + loops)
	return outer
}

func (e *Engine) endLoop(outer uint) {
	e.Counts.Enclosing = outer
	switch {
	case e.Counts.Inside() > outer && !e.q.RestsAlways():
		now := clock.Now()
		e.Counts.Work(now)
		e.Resume(now)
	case e.Counts.Works():
		now := e.idleState.ticked
		if e.idleState.taken > 0 || int64(now) != e.Counts.At.Load() {
			now = clock.Now() // else took has read it after the last function
		}
		e.Counts.Rest(now)
	}
	e.endServing(1 + loops)
}

const (
	loops  = 1 << 32
	byWait = 1 // of served: Wait was among them
)

func (e *Engine) endServing(n int64) {
	serving := e.serving.Add(-n)
	outermost := serving == 0
	if u := &e.unserved; !e.own && serving < loops && u.awaited() && !u.watched.Load() {
		e.beginWatch(false) //threadcall:alloc for the first
	}
	if outermost && !e.own && e.q.Closed() {
		e.forget() //threadcall:alloc for the end of the thread
	}
	if e.q.RestsAlways() {
		e.restInHost(outermost)
		if e.eventLoop.blocked && e.q.Closed() {
			e.eventLoop.blocked = false // once, as block may serve for each event that there is
			e.wake(false)
		}
	}
}

// Terminate refuses all calls that are queued and all that will be, and ends the engine's own
// thread.
func (e *Engine) Terminate() {
	if !e.Reachable() {
		return // another goroutine ends it
	}
	first := e.enter(closed)
	wake := e.q.Close()
	e.AtTerminate.end(func(f func()) { f() })
	switch {
	case !e.own && e.serving.Load() == 0: // else endServing does it
		if f := e.onWake.Swap(nil); f != nil && wake {
			e.announced.Add(1)
			(*f)()
		}
		e.forget()
	case first:
		e.wake(false)
	}
}

// forget ends an adopted thread that does not serve. If it has begun to meanwhile, it ends itself.
func (e *Engine) forget() {
	if e.GiveBack() {
		return
	}
	e.ending.Lock()
	serves := e.serving.Load() != 0
	if !serves {
		e.endIdentity()
	}
	e.ending.Unlock()
	if !serves {
		e.ended()
	}
}

// ended notifies what waits for the end of the thread, or of the pool whose last thread it is.
func (e *Engine) ended() {
	x := e.of
	if e.pool != nil && int(e.pool.ended.Add(1)) < len(x.workers) {
		return
	}
	if !e.AtExit.any() { // else GiveBack is to run them
		x.onPanic.Store(nil)
	}
	if x.phase.Swap(over) == over {
		<-x.done // which another goroutine is about to close: a host looks at it before it waits
		return
	}
	// it may refer to the thread's handle, whose cleanup keeps the engine
	e.onWake.Store(nil)
	x.observer.End()
	x.unlist() // before done, or who waits for that would miss its last functions in the counts
	close(x.done)
	if e.OnEnd != nil { // a thread of the engine's own, which alone reads User
		e.OnEnd()
		e.OnEnd, e.User = nil, nil // as onWake, and the handler of panics
	}
}

// GiveBack runs cleanups, ends the thread, and releases the locks of Adopt, if the caller is the
// adopted goroutine, has stopped serving, and its thread has been terminated. Otherwise it is
// false: another goroutine that terminates the thread cannot do that.
func (e *Engine) GiveBack() bool {
	// in this order: what has been closed before it serves is not adopted later, see AdoptLater
	if !e.q.Closed() || e.serving.Load() != 0 || e.pin == nil ||
		e.pin.Goroutine != ident.Goroutine() {
		return false
	}
	pin.Lock(1) // as the locks may have been given back
	serveAll(e.runCleanups, e.countExit, func() {
		e.endIdentity()
		pin.Unlock(1)
		if m := ident.M(); e.pin.GiveBack() {
			left.Remove(m, e.pin)
		}
		e.ended()
	})
	return true
}

// Retire is called when nothing refers to the engine any more. A host may never serve it.
func (e *Engine) Retire() {
	if e.own {
		e.target.Retire()
	} else {
		e.Terminate()
	}
}

// Retire refuses posts from now on, and ends the threads when they have run what is queued.
func (x *target) Retire() {
	if p := x.pool; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	if !x.enter(closing) {
		return
	}
	var end func()
	if x.pool == nil { // the threads of a pool look by themselves, see next
		end = x.on.end
	}
	for _, e := range x.workers {
		e.Control(end)
	}
}

// end is called when the thread comes to the end that Retire has queued. What Go has queued is in
// front of it, or behind it if the poster has read the phase before it was closing. So the thread
// runs those posts, and refuses calls, until nothing is queued. The first of their Goexits goes on
// afterwards, and is counted by the loop that has called end.
func (e *Engine) end() {
	exits := 0
	serveAll(func() {
		for !e.q.Seal() {
			if c := e.take(); c != nil && c.Kind <= callq.Withdrawable {
				c.Refuse()
			} else if c != nil && e.run(c, nil) {
				e.took()
			}
		}
	}, func() {
		if exits++; exits > 1 {
			e.countExit()
		}
	}, e.Terminate)
}

// Shutdown is Retire, and waits for the end, unless the caller is on one of the threads, or in a
// function that one waits for, directly or through others. If ctx is done before the end, Shutdown
// returns why.
func (x *target) Shutdown(ctx context.Context) error {
	if !x.Reachable() {
		return nil
	}
	e := x.on
	x.Retire()
	switch self := Self(); {
	case self == nil || self.of != x:
	case !e.own && e.serving.Load() == 0:
		_ = e.ServeContext(ctx)
		return whyNot(ctx, x.done)
	default:
		return nil
	}
	if !e.own {
		defer e.endWait(e.beginWait())
	}
	err := WaitEnd(ctx, x, x.done)
	e.GiveBack()
	return err
}

// whyNot returns why ctx is done, if it is and done is not closed.
func whyNot(ctx context.Context, done <-chan struct{}) error {
	if !isClosed(done) && callq.Done(ctx) {
		return Cause(ctx)
	}
	return nil
}
