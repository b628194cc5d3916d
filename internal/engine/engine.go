// Package engine serves a thread of the operating system: it runs there the functions that any
// goroutine hands in.
//
// The files are named by the four parts of a thread's life, each of which has a table of its states
// above its type, and by what these do not need:
//
//	submit   a goroutine queues a call. The queue's protocol, which decides that no call is lost, is
//	         in package callq
//	wait     thread and callers wait for each other: the choice (policy), the thread's side (thread),
//	         what both owe to others (yield), threads that wait for each other (cycle)
//	serve    the thread runs calls, in its own loop or that of a host (eventloop)
//	live     the thread begins, is known by its identity, and ends
//	observe  statistics, slow calls, traces, labels: only calls that are observed go there
//	timer    functions at given times
//	pool     any of several threads
//	bubble   tests with a clock of their own
package engine

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/sched"
)

// ErrTerminated is what waiting functions return when the thread has been terminated.
var ErrTerminated = errors.New("thread: terminated")

// ErrNil is what is returned for a nil function by what returns an error.
var ErrNil = errors.New("thread: the function to call is nil")

// An Engine is one thread's. Its queue says whether the thread must be woken; mode says how:
//
//	mode         the thread                             is woken by
//	up           runs, or looks at its queue before it  onWake, once for each time that resting
//	             waits; an adopted one may be in its    was replaced
//	             event loop
//	inScheduler  waits in the Go scheduler              wakeup
//
// Only the thread changes mode, before Rest and after it has seen that its queue is no longer
// resting. So the pusher that replaced resting, and must wake the thread, reads the mode in which
// the thread waits. If the thread got up by itself meanwhile, the wake-up is superfluous. Every
// waiter tolerates that. Only the head of the queue remembers a wake-up, so a late one keeps no
// other from being sent. A new thread looks at its queue before it first waits, and so begins in
// mode up although its queue counts as resting.
//
// The identity of a thread is m. It begins when the thread can run calls in place, and ends
//
//	a thread of the engine's own  with its goroutine, which release ends     by the thread
//	an adopted one                with Terminate, if it does not serve then  by any goroutine
//	                              else when it has stopped serving           by the thread
//
// An adopted goroutine may end without Terminate, and the runtime use its m again. So while it does
// not serve, which would prove that it lives, the operating system's number of the thread must
// agree as well, see On.
type Engine struct {
	id uintptr // a number of its own, never zero
	q  *callq.Queue
	m  atomic.Uintptr // the thread, as ident.M has it; zero while it has no identity

	own       bool // the thread is the engine's own, made by Start
	exact     bool // or the main goroutine's: m cannot mean another thread
	direct    bool // and ident.M is ident.ReadM
	permanent bool // the thread is package mainthread's, which serves it until the program ends
	bubbled   bool // the thread is in a bubble of testing/synctest, see bubble.go

	target // its own; in a pool, the pool's is used

	setup func()        // that Start was given
	tid   atomic.Uint64 // the thread's number in the operating system
	g     uintptr       // the serving goroutine
	goid  atomic.Uint64 // and its number in stack traces, see number; zero until it is wanted
	// how many of Serve, ServeContext and waits for other threads are under way; only the thread
	// changes it
	serving atomic.Int32
	adopted atomic.Bool // AdoptLater has begun, see live_adopt.go
	served  atomic.Bool // Serve, ServeContext or OnWake has been called

	ending  sync.Once   // closes done
	closing atomic.Bool // Close has been called

	mode   atomic.Uint32
	wakeup chan struct{}
	onWake atomic.Pointer[func()]

	announced atomic.Int64 // calls of onWake

	waits     waitState // what callers and thread know about each other's waiting, see wait.go
	ownYields yieldState
	yields    *yieldState // ownYields, or the pool's

	_ [64]byte // what only the thread uses changes with every call, what callers read above does not

	idleState idleState
	eventLoop eventLoop
	load      sched.Load

	labels labels // see observe_labels.go; only the thread's

	pin *pin // the locks of an adopted goroutine, see live_pin.go

	index  int  // in pool.workers
	listed bool // among pool.idle; guarded by pool.mu
	coming bool // notified of the pool's backlog; guarded by pool.mu

	wait atomic.Pointer[wait] // what the thread waits for on another thread, see wait_cycle.go
	// hasPosted says that the thread has posted to a pool, whose backlog is to be searched in a
	// cycle.
	hasPosted atomic.Bool

	lastWait *wait       // which may do again; only the thread's
	token    *park.Token // for waits for a place; only the thread makes it
	seen     reach       // only the thread's

	withdrawn bool // the posted function that it has last begun did not run, see observe_call.go

	clocks   clocks   // see timer.go
	stops    []func() // what the thread runs last; only the thread's, once it runs
	keep     bool     // the thread serves another engine afterwards; only the thread's, once it runs
	stopping bool     // it runs, or has; only the thread's
	onEnd    func()   // that OnEnd was given, or nil
	user     any      // that SetUser was given
}

const (
	up = iota
	inScheduler
)

// New returns an engine without a thread, and what the caller must keep as long as it uses the
// engine. Calls wait until a thread serves them. If limit is positive, so many posted calls may be
// queued; further ones wait, unless that could become a deadlock.
func New(limit int) (*Engine, *Owner) {
	o := new(Owner)
	e := newEngine()
	e.target.init(limit, o)
	return e, o
}

var lastID atomic.Uintptr

func newEngine() *Engine {
	ident.Trusted() // before a goroutine asks for M
	sched.PrepareLoad()
	e := &Engine{
		id:      lastID.Add(1),
		q:       callq.New(),
		wakeup:  make(chan struct{}, 1),
		bubbled: clock.InBubble(),
	}
	e.on, e.records, e.yields = e, e.q, &e.ownYields
	e.labels = labels{own: never, now: never}
	e.waits.init()
	e.idleState.policy.init()
	return e
}

// wake is what the pusher that replaced resting owes.
//
//threadcall:noalloc
func (e *Engine) wake() {
	switch e.mode.Load() {
	case inScheduler:
		e.waits.pushed.Store(int64(clock.Now()))
		e.unpark()
	case up:
		if f := e.onWake.Load(); f != nil {
			e.announced.Add(1)
			(*f)()
		}
	}
}

//threadcall:noalloc
func (e *Engine) unpark() {
	select {
	case e.wakeup <- struct{}{}:
	default:
	}
}

// interrupt makes the thread look whether it is to serve any longer. It calls no onWake: a thread
// that does not wait in the Go scheduler looks before it does.
func (e *Engine) interrupt() {
	if e.q.Interrupt() && e.mode.Load() == inScheduler {
		e.unpark()
	}
}

// control has the thread call fn, which may be nil, behind what is queued, if it is not terminated
// before.
func (e *Engine) control(fn func()) {
	c := e.q.Get(callq.Control, fn, 0)
	wake, _, ok := e.q.Push(c)
	if !ok {
		c.Drop()
	} else if wake {
		e.wake()
	}
}

// OnWake sets what is called when something is queued while the thread is not looking. Any
// goroutine may call it.
func (e *Engine) OnWake(f func()) {
	if f == nil || e.q.Closed() {
		e.onWake.Store(nil) // nothing will be queued
		return
	}
	e.mustBeReachable()
	e.served.Store(true) // or soon will be
	e.onWake.Store(&f)
	on := e.On()
	if on {
		e.q.RestAlways(true)
	}
	e.leave(on && e.serving.Load() == 0)
}

// WakeOf returns what OnWake has set, or nil.
func (e *Engine) WakeOf() func() {
	if f := e.onWake.Load(); f != nil {
		return *f
	}
	return nil
}

// leave makes the thread count as resting while it runs code that is not the engine's, in which
// onWake reaches it. What is queued already is announced, although it may have been before: the
// host may have taken that announcement out of its event loop for something else. If host is true,
// the thread returns to the host, and does then not count as resting.
func (e *Engine) leave(host bool) {
	if e.q.Rest() || e.q.Closed() {
		return
	}
	if host {
		e.q.Awake()
	}
	e.wake()
}
