// Package engine serves a thread of the operating system: it runs functions there for any
// goroutine.
//
// A file with a protocol has a table of its states above the type. Most calls go down this list of
// the files:
//
//	states     what all threads do
//	pool       any of several threads
//	serve      the thread runs calls in its own loop, and waits when there are none (idle)
//	eventloop  it does so in the loop of a host
//	live       the thread begins and ends
//	submit     a goroutine queues a call, and wakes a thread that rests (wake). The queue's protocol,
//	           which decides that no call is lost, is in package callq
//	post       a goroutine queues a function that no caller waits for
//	wait       callers wait for the thread, and threads for each other, as package spin decides: when
//	           both sides yield to others (yield), threads that wait in a cycle (cycle), threads that
//	           nothing serves (unserved)
//	stats      what is known of the functions, by package observe
//	bubble     tests with a clock of their own
//	identity   which thread the caller is on
//
// Functions of one file, and of files that follow one another, are next to each other in a program.
package engine

import (
	"errors"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/observe"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/spin"
)

// ErrTerminated is what waiting functions return when the thread has been terminated.
var ErrTerminated = errors.New("thread: terminated")

// ErrNil is the error for a nil function.
var ErrNil = errors.New("thread: the function to call is nil")

// An Engine serves one thread.
//
// After a pause, each cache line and each page that a call reads costs it a third of a microsecond.
// So what calls and posts read is in three lines: the first two, which end with waking.mode and
// target.records, and that of waits.
type Engine struct {
	identity
	q      *callq.Queue
	yields *yieldState // of its own target, or of the pool's
	waking
	target         // its own; in a pool, the pool's is used
	of     *target // whose functions the thread runs: one of the two
	id     uintptr // a number of the engine's own, never zero
	hosted
	waits spin.State // what callers and thread know about each other's waiting

	adoption
	life
	unserved unserved

	_ [64]byte // what only the thread uses changes with every call, what callers read above does not

	cancel <-chan struct{} // of the innermost ServeContext
	observe.Thread
	idleState idleState
	eventLoop eventLoop

	place             // in a pool
	waiter            // for another thread
	alone  [1]*Engine // e

	AtTerminate Calls // which Terminate calls
	AtExit      Calls // which the thread calls when it ends
}

// A Config is how a thread or a pool is made.
type Config struct {
	Name  string // in messages and of States; may be empty
	Limit int    // how many posted calls are queued at most, see limit; any number unless positive
	Timed bool   // its times are measured, whatever MeasureTimes says
	Parks bool   // nothing spins for it
	Keep  bool   // each thread is one that another engine has left, if there is one, and is left again
	Own   bool   // Start gives it a thread; else one is adopted
	Main  bool   // it is the thread of package mainthread
	User  any    // for who has made it; read on the thread
	OnEnd func() // called when the thread has ended, or nil
}

// New returns an engine without a thread, and its Owner, which the caller must keep as long as it
// uses the engine. Calls wait until a thread serves them.
func New(c Config) (*Engine, *Owner) {
	o := new(Owner)
	e := newEngine(c)
	e.target.init(e.Config, o)
	e.list()
	return e, o
}

var lastID atomic.Uintptr

func newEngine(c Config) *Engine {
	ident.Trusted() // before a goroutine asks for M
	sched.PrepareLoad()
	e := &Engine{q: callq.New()}
	e.id, e.bubble, e.wakeup = lastID.Add(1), clock.Bubble(), make(chan struct{}, 1)
	e.on, e.of, e.records, e.yields = e, &e.target, e.q, &e.ownYields
	e.alone[0], e.among.Value = e, e
	e.workers = e.alone[:]
	e.Config = c
	e.own, e.direct = c.Own, c.Own && ident.Trusted()
	e.Keep = c.Keep && e.bubble == 0
	e.Thread.Init(e)
	e.idleState.Init(&e.waits, c.Parks || e.bubble != 0)
	return e
}

// ID returns a number that no other thread or pool of the process has or will have.
//
//threadcall:noalloc
func (x *target) ID() uint64 { return uint64(x.on.id) }

// Control has the thread call fn, which may be nil, unless it is terminated before, and does not
// count that. It says whether the thread had to be woken. The record is the first of the queue, as
// a rule, so that a thread for one call needs no others.
//
//threadcall:noalloc
func (e *Engine) Control(fn func()) (wake bool) {
	if e.q.Closed() {
		return false
	}
	c := e.q.Get(callq.Awaited, fn, 0)
	c.Kind = callq.Control
	c.Begun()                           // so Len does not count it
	if wake, _, _ = e.q.Push(c); wake { // else it is closed, for ever, or the thread looks
		e.wake(true)
	}
	return wake
}
