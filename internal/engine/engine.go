// Package engine serves a thread of the operating system: it runs there the functions that any goroutine hands in.
//
// The life of a call goes through the files in this order: engine.go (a goroutine queues it), wait.go (and waits),
// rest.go (the thread notices), serve.go (and runs it), fault.go (if it panicked), cycle.go (if threads wait for each
// other), pool.go (if any of several threads will do). The queue's protocol, which decides that no call is lost, is
// in package callq.
package engine

import (
	"context"
	"errors"
	"runtime"
	"runtime/trace"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/park"
)

// ErrTerminated is what waiting functions return when the thread has been terminated.
var ErrTerminated = errors.New("thread: terminated")

var errNil = errors.New("thread: the function to call is nil")

// An Engine is one thread's. Its queue says whether the thread must be woken; mode says how:
//
//	mode     the thread                                     is woken by
//	inHost   is not asleep, but may be in a host's event    hook, at most once until it serves again (rung)
//	         loop: its own, or one that a function runs
//	inOS     sleeps in a system call, see park.Sleeper      bed
//	inGo     sleeps in the Go scheduler                     bell
//
// Only the thread changes mode, before Rest and after it has seen that its queue is no longer resting. So whoever
// replaced resting and owes the wake-up reads the mode in which the thread still sleeps, or the thread has risen by
// itself in the meantime; then the wake-up is one too many, which every sleeper must bear.
type Engine struct {
	q     *callq.Queue
	g     atomic.Uintptr        // the goroutine that serves; zero before it does and after it has ended
	tid   atomic.Uint64         // its thread
	watch atomic.Pointer[watch] // nil unless somebody wants to know of slow functions, see watch.go

	own     bool         // the thread is the engine's own, made by Start
	main    bool         // the thread is the main thread, adopted by the main goroutine
	pinned  bool         // the host has locked its goroutine to the thread and will unlock it, see pin.go
	serving atomic.Int32 // how many Serve, ServeContext and waitFor are under way; only the thread changes it

	mode atomic.Uint32
	bed  park.Sleeper
	bell chan struct{}
	hook atomic.Pointer[func()]
	rung atomic.Bool

	line line // what callers and thread tell each other about waiting, see wait.go and rest.go

	_ [64]byte // what only the thread uses changes with every call, what callers read above does not

	stack  []*callq.Call // the awaited calls that it is running, the outermost first
	posted int           // calls that it queued for itself and has not run yet
	rest   rest
	caught *callq.Fault // the panic of a deferred call of a function that has called Goexit

	faults faults
	limit  *limit
	goid   atomic.Uint64 // the number of the serving goroutine, in stack traces

	pool   *Pool
	listed bool // among pool.idle; guarded by pool.mu

	wait     atomic.Pointer[wait] // what the thread waits for on another thread, see cycle.go
	lastWait *wait                // which may do again; only the thread's
	seen     []*Engine            // for wait.reach; only the thread's
}

const (
	inHost = iota
	inOS
	inGo
)

// New returns an engine without a thread. Calls wait until one serves it. If limit is positive, so many posted calls
// may be queued; further ones wait, unless they come from the thread.
func New(limit int) *Engine {
	e := &Engine{q: callq.New(), bell: make(chan struct{}, 1), limit: newLimit(limit)}
	e.line.init()
	return e
}

// Start gives the engine a thread of its own, on which setup runs first.
func (e *Engine) Start(setup func()) {
	e.own = true
	e.mode.Store(inGo) // as good as asleep until it first looks
	go func() {
		e.claim()
		if setup != nil {
			setup()
		}
		e.serveAll(0, e.loop, e.release)
		if !endsThread {
			unlock(e.locks())
		}
	}()
}

// Adopt makes the calling goroutine and its thread the engine's. It must serve by itself.
func (e *Engine) Adopt() {
	locked, main := pinned()
	e.pinned = locked && !main
	e.main = main
	e.claim()
	e.q.RestAlways(true)
}

// claim makes the calling goroutine the one that serves.
func (e *Engine) claim() {
	lock(e.locks())
	e.tid.Store(ident.Thread())
	e.goid.Store(goid())
	e.g.Store(ident.G())
	threads.add(e)
}

// release forgets the goroutine, whose g the runtime may give to another one.
func (e *Engine) release() {
	threads.remove(e)
	e.g.Store(0)
	e.tid.Store(0)
}

// TID returns the operating system's number of the thread, zero if it has none yet or cannot be told.
func (e *Engine) TID() uint64 { return e.tid.Load() }

// On tells whether the caller is on the thread, be it as a coroutine of the serving goroutine.
//
//threadcall:noalloc
func (e *Engine) On() bool {
	if e.g.Load() == ident.G() {
		return true
	}
	tid := e.tid.Load()
	return tid != 0 && tid == ident.Thread()
}

// Call runs fn on the thread and returns after it. False means that fn did not and will not run.
//
//threadcall:noalloc
func (e *Engine) Call(fn func()) bool {
	if fn == nil {
		return false
	}
	g := ident.G()
	if e.g.Load() == g {
		return e.nested(g, fn)
	}
	if w := e.watch.Load(); w != nil {
		fn = w.wrap(fn)
	}
	if trace.IsEnabled() {
		return e.callMarked(g, fn)
	}
	c := e.q.Get(callq.Awaited, fn, g)
	wake, behind, ok := e.q.Push(c)
	if !ok {
		return finish(c, callq.Refused)
	}
	if wake {
		e.wakeFromCaller()
	} else if !behind && multicore {
		for range callerHot {
			park.Pause()
			park.Pause()
			park.Pause()
			if c.Outcome() == callq.Ran {
				e.q.Put(c)
				return true
			}
		}
	}
	return finish(c, e.await(nil, c, wake, behind))
}

// callMarked is the rest of Call while a trace is recorded.
func (e *Engine) callMarked(g uintptr, fn func()) bool {
	return marked(context.Background(), fn, func(run func()) bool {
		c := e.q.Get(callq.Awaited, run, g)
		wake, behind, ok := e.q.Push(c)
		if !ok {
			return finish(c, callq.Refused)
		}
		if wake {
			e.wakeFromCaller()
		}
		return finish(c, e.await(nil, c, wake, behind))
	})
}

// finish gives back the record of an awaited call and does to the caller what the outcome says.
//
//threadcall:noalloc
func finish(c *callq.Call, o callq.Outcome) bool {
	fault := c.Fault
	c.Fn, c.Fault, c.Ctx = nil, nil, nil
	c.Queue.Put(c)
	switch o {
	case callq.Ran:
		return true
	case callq.Panicked:
		repanic(fault)
	case callq.Exited:
		if fault != nil {
			defer repanic(fault) // as a deferred call did there
		}
		runtime.Goexit()
	}
	return false
}

// CallContext is Call, but gives up if ctx is done before fn began; then fn will not run.
//
//threadcall:noalloc
func (e *Engine) CallContext(ctx context.Context, fn func()) error {
	if fn == nil {
		return errNil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g := ident.G()
	if e.g.Load() == g {
		switch ok := e.mayNest(g); {
		case !ok:
			return ErrTerminated
		case ctx.Err() != nil: // by what has just run
			return ctx.Err()
		}
		if trace.IsEnabled() {
			inPlace(fn)
		} else {
			fn()
		}
		return nil
	}
	if w := e.watch.Load(); w != nil {
		fn = w.wrap(fn)
	}
	if trace.IsEnabled() {
		return marked(ctx, fn, func(run func()) error { return e.callContext(ctx, g, run) })
	}
	return e.callContext(ctx, g, fn)
}

// callContext queues fn and waits for it, or for ctx.
//
//threadcall:noalloc
func (e *Engine) callContext(ctx context.Context, g uintptr, fn func()) error {
	c := e.q.Get(callq.Withdrawable, fn, g)
	c.Ctx = ctx
	wake, behind, ok := e.q.Push(c)
	if !ok {
		finish(c, callq.Refused)
		return ErrTerminated
	}
	if wake {
		e.wakeFromCaller()
	}
	switch o := e.await(ctx.Done(), c, wake, behind); {
	case o == withdrawn: // and so no longer ours
		return ctx.Err()
	case finish(c, o):
		return nil
	case o == callq.Expired:
		return ctx.Err()
	}
	return ErrTerminated
}

// Go queues fn. False means that it will not run.
//
//threadcall:noalloc
func (e *Engine) Go(fn func()) bool {
	if fn == nil {
		return false
	}
	g := ident.G()
	here := e.g.Load() == g
	if w := e.watch.Load(); w != nil {
		fn = w.wrap(fn)
	}
	var task *trace.Task
	if trace.IsEnabled() {
		task, fn = markGo(fn)
	}
	c := e.q.Get(e.limit.enter(e), fn, g)
	wake, _, ok := e.q.Push(c)
	if !ok {
		c.Fn = nil
		e.q.Put(c)
		if task != nil {
			task.End()
		}
		return false
	}
	if here {
		e.posted++
	}
	if wake {
		e.wake()
	}
	return true
}

// wake does what whoever replaced resting owes.
//
//threadcall:noalloc
func (e *Engine) wake() {
	switch e.mode.Load() {
	case inOS:
		e.bed.Wake()
	case inGo:
		select {
		case e.bell <- struct{}{}:
		default:
		}
	case inHost:
		if hook := e.hook.Load(); hook != nil && e.rung.CompareAndSwap(false, true) {
			(*hook)()
		}
	}
}

// wakeFromCaller is wake by somebody who will wait for an answer.
//
//threadcall:noalloc
func (e *Engine) wakeFromCaller() {
	if e.mode.Load() == inOS {
		e.line.calledFrom(park.CPU())
	}
	e.wake()
}

// nudge makes the thread look up from its rest.
func (e *Engine) nudge() {
	c := e.q.Get(callq.Control, nil, 0)
	wake, _, ok := e.q.Push(c)
	if !ok {
		e.q.Put(c)
	} else if wake {
		e.wake()
	}
}

// OnWake sets what is called when something is queued while the thread is not looking.
func (e *Engine) OnWake(hook func()) {
	if hook == nil {
		e.hook.Store(nil)
		return
	}
	e.hook.Store(&hook)
	if e.OnGoroutine() {
		e.q.RestAlways(true)
	}
	e.leave()
}

// leave makes the thread count as resting while it runs code that is not the engine's, in which the hook reaches it.
func (e *Engine) leave() {
	e.rung.Store(false)
	if !e.q.Rest() && e.q.Pending() {
		e.wake()
	}
}

// Terminate refuses all calls that are queued and all that will be, and ends the engine's own thread.
func (e *Engine) Terminate() {
	wake := e.q.Close()
	e.limit.close()
	if wake {
		e.wake()
	}
	if !e.own && e.serving.Load() == 0 { // else end does it
		e.forget()
	}
}

// begin and end enclose what may run calls. A thread that is terminated meanwhile goes on with those that have begun,
// and so must be known to others until they have ended. Terminate closes the queue and then looks at serving, end
// changes serving and then looks at the queue: at least one of them sees the other.
func (e *Engine) begin() { e.serving.Add(1) }

func (e *Engine) end() {
	if e.serving.Add(-1) == 0 && !e.own && e.q.Closed() {
		e.forget()
	}
}

// forget makes the adopted thread unknown, and gives it back if its goroutine is the caller.
func (e *Engine) forget() {
	threads.remove(e)
	if e.OnGoroutine() {
		e.unclaim()
	}
}

// Retire terminates the engine after it has run what is queued.
func (e *Engine) Retire() {
	if !e.own {
		e.Terminate()
		return
	}
	c := e.q.Get(callq.Control, e.Terminate, 0)
	wake, _, ok := e.q.Push(c)
	if ok && wake {
		e.wake()
	}
}

// Terminated tells whether Terminate has been called.
func (e *Engine) Terminated() bool { return e.q.Closed() }

// Adopted tells whether the thread is somebody else's.
func (e *Engine) Adopted() bool { return !e.own }

// OnAny tells whether the caller is on the thread of any engine. A goroutine that ended without Terminate may have left
// its g to the caller; its thread is another one.
func OnAny() bool {
	e := threads.current(nil)
	return e != nil && e.tid.Load() == ident.Thread()
}
