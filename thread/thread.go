// Package thread runs functions on a thread of the operating system that they belong to.
//
// Some libraries must always be called from one thread: OpenGL and CUDA contexts, ptrace, network
// namespaces, COM apartments, an embedded Python. A [Thread] is such a thread; any goroutine may
// hand it functions.
//
//	t := thread.New(thread.WithName("gl"))
//	defer t.Terminate()
//
//	t.Call(func() { gl.Clear(gl.COLOR_BUFFER_BIT) }) // runs there, returns after it
//	n := thread.MustEval(t, width)                   // the same, with a result
//	t.Go(gl.Flush)                                   // runs there some time later
//	clear := thread.Bind1(t, gl.Clear)               // a func(uint32) that runs there
//
// # What a call promises
//
//   - A function runs exactly once, or it does not run at all and the call says so: Call returns
//     false, CallContext and EvalContext return an error, MustCall and MustEval panic with one.
//   - What its caller wrote before the call is visible to it, and what it wrote is visible after
//     the call.
//   - The calls of one goroutine to a thread that it is not on run in the order in which it made
//     them, Go and Call alike.
//   - A call made on the thread itself is a plain function call, also from a C callback or a
//     coroutine of [iter.Pull], and on a thread of a [Pool]: nothing else runs before it. What is
//     given to Go there runs after the current function, in the order of the queue.
//   - If threads call each other in a cycle, each runs, while it waits, the call that its own call
//     has led to, behind what the calling thread has queued before.
//   - A panic reaches the caller as the value it was, and the thread lives on. [runtime.Goexit] in
//     a function ends its caller's goroutine, and the thread lives on. A panic in a function that
//     no caller waits for, given to Go for example, is written to standard error at once, unless
//     [WithPanicHandler] takes it, and is kept for TakePanic.
//   - A nil function does not run, and the call says so as it does of any function that does not
//     run: it returns false, or an error, which is [ErrNil]. What returns neither panics with an
//     error that wraps ErrNil. An option or a setter takes nil for none.
//   - A function that calls [runtime.UnlockOSThread] once too often does not unpin the thread.
//   - No call allocates in the steady state, Go does not block, and a thread that has nothing to do
//     uses no CPU. A function literal that captures variables is allocated by the program that
//     makes it, not by the call; [Bind2] needs none.
//
// # Testing
//
// Threads work in the bubbles of [testing/synctest]. A thread that is made in a bubble keeps the
// bubble's time, must be terminated before the test ends, like any goroutine of the bubble, and is
// not reclaimed by the garbage collector. A call from outside the bubble panics, until the thread
// has been terminated; then it returns false.
//
// A thread that is made outside, the main thread for example, may be called from a bubble. Its
// functions run outside: they see the real time, and must not use channels and timers of the
// bubble. The bubble's clock stands still while one of its goroutines waits for such a thread, so a
// deadline of the bubble does not come meanwhile.
//
// # Limits
//
// What cannot be promised: two functions that wait for each other by other means than these calls
// (channels, locks) deadlock here as anywhere. A Goexit leaves the frames of the function that
// called it on the thread's stack as long as the thread lives, and with them what they refer to. If
// that is the Thread, it is not reclaimed without Terminate. The stack overflows, which ends the
// process, after about 790,000 of them on one thread, 400,000 on 32 bits, and earlier if they are
// called deeper in a function; a program that needs more makes another thread before that. A Goexit
// in a function that [Thread.Serve], [Thread.Wait] or a native loop runs ends the goroutine of that
// loop.
//
// While goroutines compute on all Ps, calls wait for their time slices of 10 ms, as messages on
// channels do. A program in which no more goroutines compute than it has cores avoids that with one
// more P, runtime.GOMAXPROCS(runtime.NumCPU()+1).
package thread

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/engine"
)

// ErrTerminated is returned when a function will not run because the thread has been terminated.
var ErrTerminated = engine.ErrTerminated

// ErrNil is returned when the function to run is nil.
var ErrNil = engine.ErrNil

// A Thread is one thread of the operating system that runs the functions that it is given. All
// methods may be called from any goroutine at any time, unless they say otherwise.
//
// A Thread from [New] that is dropped without Terminate is reclaimed by the garbage collector,
// after it has run what was queued and what [AddCleanup] is to free. What a [Local],
// [Thread.OnSlowCall] and panics of posted functions refer to does not keep it alive.
type Thread struct {
	e         *engine.Engine // must not lead back to the Thread, or it could never be reclaimed
	owner     *engine.Owner  // has what may lead back
	life      *life
	id        uint64
	name      string
	permanent bool // the main thread's, which Terminate must not end

	mu     sync.Mutex
	locals map[any]any // what each Local has for the Thread, by *Local[T] a *T
}

var lastID atomic.Uint64

// New starts a thread. It does not wait until the operating system has made it; calls wait for
// that. So it cannot return the error of a function of [WithStart], which ends the thread and is
// reported as a panic: [Start] returns it.
func New(opts ...Option) *Thread {
	o := options(opts)
	t := wrap(o)
	o.begin(t.e, t.e.Terminate)
	t.e.Start(o.setup(), o.keep)
	return t
}

func init() {
	access.Adopt = func() (any, func()) {
		t := adopt(nil, true)
		return t, t.e.Terminate
	}
	access.New = func(opts any) access.Unstarted { return unstarted(opts.([]Option)) }
}

func wrap(o config) *Thread {
	e, owner := engine.New(o.limit)
	e.SetName(o.name)
	if notify := o.watcher(); notify != nil {
		owner.Watch(o.slow, notify)
	}
	e.OnPanic(handler(o.handle))
	t := &Thread{e: e, owner: owner, life: &life{e}, id: lastID.Add(1), name: o.name}
	if !e.Bubbled() {
		runtime.AddCleanup(t.life, (*engine.Engine).Retire, e)
	}
	return t
}

// ID returns a number that no other Thread of this process has or will have. It is not the
// operating system's.
func (t *Thread) ID() uint64 { return t.id }

// Call runs f on the thread and returns true after it. It returns false, and f will not run, if f
// is nil or the thread is terminated before f begins; [Thread.MustCall] panics instead.
//
// If f panics, Call panics with the same value. If it is not recovered, the report that ends the
// process also shows the stack of the thread at that moment. If f calls [runtime.Goexit], so does
// Call. If Call is made on another thread, and a function that this thread runs while it waits
// calls Goexit, f will not begin any more; if it has begun, the goroutine is unwound when f has
// ended.
//
//threadcall:noalloc
func (t *Thread) Call(f func()) bool {
	ok := t.e.Call(f)
	runtime.KeepAlive(t) // or it might be reclaimed while the call is queued
	return ok
}

// CallContext runs f on the thread and returns nil after it. If ctx is done before f begins, f will
// not run and CallContext returns [context.Cause](ctx); once f has begun, CallContext waits for its
// end. If the thread is terminated before f begins, f will not run and CallContext returns
// [ErrTerminated]. For a nil f it returns [ErrNil]. A call that was given up keeps nothing alive,
// even if the thread hangs.
//
// If ctx has profiler labels ([runtime/pprof.Do]), f runs under them, so a CPU profile says whose
// work the thread did; when f has ended, however it ended, the thread has the labels that it had
// before: none, or those of the function within which it ran f. What a function has set by itself,
// with pprof.Do or SetGoroutineLabels, does not count as what it had before. A thread does not
// inherit the labels of the goroutine that made it.
//
// Panics and Goexit are as in Call.
//
//threadcall:noalloc
func (t *Thread) CallContext(ctx context.Context, f func()) error {
	err := t.e.CallContext(ctx, f)
	runtime.KeepAlive(t)
	return err
}

// Go queues f to run on the thread and returns true. It never blocks: the queue takes as much as
// memory holds, unless [WithQueueLimit] bounds it. It returns false, and f will not run, if f is
// nil or the thread is terminated. If the thread is terminated later, but before f begins, f will
// not run either, and there is no report.
//
// A panic in f is reported on standard error, or to the function of [WithPanicHandler].
//
//threadcall:noalloc
func (t *Thread) Go(f func()) bool {
	ok := t.e.Go(f)
	runtime.KeepAlive(t)
	return ok
}

// TryGo is Go, but returns false at once, and f will not run, if the queue has as many functions
// given to Go as [WithQueueLimit] allows. So it never waits. A full queue refuses f on the thread
// itself, too.
//
//threadcall:noalloc
func (t *Thread) TryGo(f func()) bool {
	ok := t.e.TryGo(f)
	runtime.KeepAlive(t)
	return ok
}

// GoContext is Go, but f does not run if ctx is done when its turn comes: the thread looks at ctx
// then, and not before. Until then the queue keeps f and what it refers to, and f counts towards
// [WithQueueLimit]. GoContext returns false, and f will not run, if ctx is done already, also after
// a wait for that limit.
//
// The profiler labels of ctx are carried as by CallContext.
//
//threadcall:noalloc
func (t *Thread) GoContext(ctx context.Context, f func()) bool {
	ok := t.e.GoContext(ctx, f)
	runtime.KeepAlive(t)
	return ok
}

// TakePanic removes and returns the oldest panic that a function given to Go has left behind, or
// nil. That it is taken does not change how it is reported: see [WithPanicHandler]. To be sure that
// a function has ended, make a Call after its Go, off the thread.
//
// Of the panics that have not been taken, the first 1,024 are kept; the last of those counts the
// others as Lost.
func (t *Thread) TakePanic() *PanicError { return taken(t.owner.Fault()) }

// On reports whether the caller is on the thread, also as a coroutine of [iter.Pull]. It is false
// for a thread that has been terminated and no longer serves. On js/wasm a coroutine inside a call
// is not recognised; it must not call the thread that it is on.
//
//threadcall:noalloc
func (t *Thread) On() bool { return t.e.On() }

// Done returns a channel that is closed when the thread has ended: no function runs on it, or ever
// will. Terminate and Close end a thread; one from [New] also ends when it has been reclaimed. The
// channel does not keep the Thread alive. In a bubble of testing/synctest it belongs to the bubble.
func (t *Thread) Done() <-chan struct{} { return t.e.Done() }

// Close ends the thread when it has run what was queued before it, and waits for that. What comes
// later does not run, although functions that were queued before may run for long: Go, TryGo,
// GoContext and the functions that Coalesce returned return false at once, the latter unless theirs
// was queued before. Of a Timer, a tick that was queued before runs. Call returns false, and
// CallContext [ErrTerminated], when the thread has ended; one that is made while Close begins may
// run instead. Until then, calls on which a running function depends do run: those that it makes on
// the thread, and those of a thread that it waits for, directly or through other threads.
//
// Close does not wait on the thread itself, nor in a function that the thread waits for, directly
// or through other threads. On an adopted thread that is not serving at that moment, the adopted
// goroutine runs what is queued, as by Serve, and calls Terminate; any other goroutine waits until
// it serves. Where functions may hang, call Close on a goroutine of its own and wait for
// [Thread.Done] and for a timer.
//
// Close panics where Terminate does.
func (t *Thread) Close() {
	t.mayEnd("Close")
	t.e.Close()
	runtime.KeepAlive(t)
}

// Terminate ends the thread. A running function completes, and its call returns true. Those that
// are queued do not run, and their callers return at once. Terminate does not wait, may be called
// more than once, and from the thread itself. The operating system's thread ends after the function
// that is running; an adopted one is the caller's, and stays. The locks of [Adopt] on an adopted
// goroutine end when that goroutine itself calls Terminate, Serve, ServeContext or Adopt after the
// thread has been terminated, or ends.
//
// Terminate panics on the Thread of package mainthread, which other packages of the program need.
// It ends when the function given to mainthread.Init returns.
func (t *Thread) Terminate() {
	t.mayEnd("Terminate")
	t.e.Terminate()
}

// mayEnd panics if the Thread is that of package mainthread.
func (t *Thread) mayEnd(method string) {
	if t.permanent {
		panic("thread: " + method + " on the main thread, which the whole program needs; " +
			"it ends when the function given to mainthread.Init returns")
	}
}
