// Package thread runs functions on the thread of the operating system to which they belong.
//
// Some libraries must always be called from one thread: OpenGL and CUDA contexts, ptrace, network
// namespaces, COM apartments, an embedded Python. A [Thread] runs the functions of any goroutine.
//
//	t := thread.New(thread.WithName("gl"))
//	defer t.Close() // runs what is queued
//
//	t.Call(func() { gl.Clear(gl.COLOR_BUFFER_BIT) }) // runs there, returns after it
//	n := thread.MustEval(t, width)                   // the same, with a result
//	t.Go(gl.Flush)                                   // runs there some time later
//	clear := thread.Bind1(t, gl.Clear)               // a func(uint32) that runs there
//
// Terminate, in place of Close, does not wait: functions that have not begun do not run.
//
// # What a call promises
//
//  1. A function runs exactly once, or it does not run at all and the call says so, whatever
//     Terminate, a deadline or the end of main do at that moment: Call returns false, CallContext
//     and EvalContext return an error, MustCall and MustEval panic with one. For a nil function
//     that is false, [ErrNil], or a panic that wraps it. Nil for an option or setter is none.
//  2. The function sees what its caller wrote before, and the caller then sees what it wrote.
//  3. Calls of one goroutine to a thread that it is not on, Go and Call alike, run in their order.
//  4. A call made on the thread itself is a plain function call: nothing else runs before it. That
//     holds in a C callback, in a coroutine of [iter.Pull], and on a thread of a [Pool]. A function
//     that is given to Go there is queued, and runs after the current function. Threads may call
//     each other in a cycle: a thread that waits runs the call that comes back to it, and before it
//     what the same caller had queued there. A goroutine that a function starts is not on the
//     thread, and has none of its namespaces, rights and contexts; net/http starts some.
//  5. A panic reaches the caller as the value it was, and [runtime.Goexit] ends the goroutine of
//     the caller. The thread continues. A panic in a function that no caller waits for is written
//     to standard error at once, unless [WithPanicHandler] takes it.
//  6. A function that calls [runtime.UnlockOSThread] once too often does not unpin the thread.
//  7. Go does not block. Memory is the bound, unless [WithQueueLimit] sets one.
//  8. On the main goroutine, calls to the main thread run in place before and after
//     mainthread.Init. Those of other goroutines wait for Init, and return false when its function
//     has ended. A call that waits for five seconds for a thread that nothing serves is reported.
//  9. Terminate may be called anywhere and any number of times, but not for the main thread. When
//     one has returned, nothing begins. Close first runs what is queued. Starts and stops are
//     pairs, undone in reverse. The garbage collector reclaims a Thread that is dropped.
//  10. An idle thread uses no CPU. No call allocates in the steady state. A function literal that
//     captures variables is allocated where it is made; [Bind2] and [BindGo2] need none.
//
// # Testing
//
// A thread that is made in a bubble of [testing/synctest] has the time of the bubble. It must be
// terminated before the test ends, as any goroutine there: the garbage collector does not reclaim
// it. Until then, a call from outside the bubble panics; afterwards, it returns false.
//
// A thread that is made outside, such as the main thread, may be called from a bubble. Functions
// see the real time there, and must not use channels and timers of the bubble. While a goroutine of
// the bubble waits for them, its clock stands still, so no deadline passes.
//
// # Limits
//
// Two functions that wait for each other by channels or locks deadlock, as anywhere.
//
// Goexit leaves the frames of its function, and all that they refer to, on the stack of the thread
// until the thread ends. A Thread to which they refer is not reclaimed without Terminate. Each
// garbage collection scans them, and calls wait meanwhile: 0.5 ms for 1,000 of them, 31 ms for
// 10,000, 0.6 s for 100,000. [Stats] counts them, and a thread that has 3,000 says so once on
// standard error. After about 790,000, 400,000 on 32 bits, the stack overflows, which ends the
// process; fewer suffice if functions are nested deeper. So let a function return, and its caller
// call Goexit. A Goexit in a function that a [Loop] runs ends its goroutine.
//
// While goroutines compute on all Ps, a call waits for their time slices of 10 ms, as a message on
// a channel does. If no more goroutines compute than there are cores, one more P avoids that:
// runtime.GOMAXPROCS(runtime.NumCPU()+1).
package thread

import (
	"context"
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/engine"
)

// ErrTerminated is returned when a function will not run because the thread has been terminated.
var ErrTerminated = engine.ErrTerminated

// ErrNil is returned when the function to run is nil.
var ErrNil = engine.ErrNil

// A Thread is one thread of the operating system that runs the functions that it is given. All
// methods may be called from any goroutine at any time.
//
// [New] makes the thread; [Adopt] takes one that has an event loop.
//
// A Thread from [New] that is dropped is reclaimed by the garbage collector, when it has run what
// is queued and what [AddCleanup] frees. A [Local] and [Thread.OnSlowCall] do not keep it alive.
type Thread struct {
	e     *engine.Engine // must not lead back to the Thread, or it could never be reclaimed
	owner *engine.Owner  // has what may lead back
	life  *life

	mu     sync.Mutex
	locals map[any]any // what each Local has for the Thread, by *Local[T] a *T
}

// New starts a thread, and does not wait until the operating system has made it. So an error of a
// function of [WithStart] ends the thread and is reported as a panic. [Start] returns it.
func New(opts ...Option) *Thread {
	o := options(opts)
	t := wrap(o)
	o.hooks.begin(t.e, t.e)
	t.e.Start()
	return t
}

func wrap(o config) *Thread {
	e, owner := engine.New(o.Config)
	t := &Thread{e: e, owner: owner, life: &life{e}}
	t.OnSlowCall(o.slow, o.notify)
	t.OnPanic(o.handle)
	if !e.Bubbled() {
		runtime.AddCleanup(t.life, (*engine.Engine).Retire, e)
	}
	return t
}

// kept returns r, the result of a call, during which nothing may reclaim of.
func kept[R, T any](r R, of *T) R {
	runtime.KeepAlive(of)
	return r
}

// ID returns a number that no other Thread or [Pool] has or will have, which recorderhttp serves.
//
//threadcall:noalloc
func (t *Thread) ID() uint64 { return t.e.ID() }

// Call runs f on the thread and returns true after it. It returns false, and f will not run, if f
// is nil or the thread is terminated before f begins; [Thread.MustCall] panics instead.
//
// If f panics, Call panics with the same value; if nothing recovers it, the report of the crash
// also has the stack of the thread. If f calls [runtime.Goexit], so does Call.
//
// A Call made on another thread waits there, and that thread may run functions meanwhile. If one of
// them calls Goexit, f does not begin; if f has begun, Call waits for its end.
//
//threadcall:noalloc
func (t *Thread) Call(f func()) bool {
	return kept(t.e.Call(f), t)
}

// CallContext runs f on the thread and returns nil after it. Or f will not run, and the error is
//
//   - [context.Cause](ctx), if ctx is done before f begins, or [context.Canceled] if that is nil;
//   - [ErrTerminated], if the thread is terminated before f begins;
//   - [ErrNil], if f is nil.
//
// Once f has begun, CallContext waits for its end. A call that was given up keeps nothing alive.
//
// If ctx has profiler labels ([runtime/pprof.Do]), f runs under them, so a CPU profile says for
// which caller the thread worked. After f, the thread has the labels that it had before: none, or
// those of the function within which it ran f, but not what that function set by pprof.Do or
// SetGoroutineLabels. A thread does not inherit the labels of the goroutine that made it.
//
// Panics and Goexit are as in Call, those of the methods of ctx, too.
//
//threadcall:noalloc
func (t *Thread) CallContext(ctx context.Context, f func()) error {
	return kept(t.e.CallContext(ctx, f), t)
}

// Go queues f to run on the thread and returns true. It returns false, and f will not run, if f is
// nil or the thread is terminated. If the thread is terminated later, before f begins, f does not
// run either, and nothing reports that. Go never blocks, unless [WithQueueLimit] bounds the queue.
//
// A panic in f is reported on standard error, or to the function of [WithPanicHandler].
//
//threadcall:noalloc
func (t *Thread) Go(f func()) bool {
	return kept(t.e.Go(f), t)
}

// TryGo is Go, but never waits: if the queue is as long as [WithQueueLimit] allows, it returns
// false, on the thread itself, too.
//
//threadcall:noalloc
func (t *Thread) TryGo(f func()) bool {
	return kept(t.e.TryGo(f), t)
}

// GoContext is Go, but f does not run if ctx is done when its turn comes. The thread looks at ctx
// only then; until then f is queued, and counts towards [WithQueueLimit]. GoContext returns nil if
// f is queued, and otherwise the error that [Thread.CallContext] would return: that of ctx if it is
// done already, or while GoContext waits for the limit.
//
// The profiler labels of ctx are carried as by CallContext.
//
//threadcall:noalloc
func (t *Thread) GoContext(ctx context.Context, f func()) error {
	return kept(t.e.GoContext(ctx, f), t)
}

// On reports whether the caller is on the thread, in a coroutine of [iter.Pull], too. It is false
// when the thread has been terminated and serves no more, but not for that of package mainthread.
// On js/wasm a coroutine in a call is not recognised, and must not call its thread.
//
//threadcall:noalloc
func (t *Thread) On() bool { return t.e.On() }

// Done returns a channel that is closed when the thread has ended and no function runs on it. A
// thread ends by Terminate or Close, one from [New] also when it has been reclaimed. The channel
// does not keep the Thread alive. In a bubble of testing/synctest it belongs to the bubble.
func (t *Thread) Done() <-chan struct{} { return t.e.Done() }

// Close runs what is queued, ends the thread, and waits for that. What comes later is refused.
//
// # What is refused
//
// Go, TryGo and a post of [Thread.Coalesce] whose function is not queued already return false at
// once, GoContext returns [ErrTerminated], and Call and CallContext return when the thread has
// ended. Only calls that a running function needs still run: those that it makes on the thread, and
// those of a thread that it waits for, directly or through other threads. A queued tick of a
// [Timer] runs.
//
// # What Close waits for
//
// On another thread, Close runs there the calls that this one makes to it meanwhile, for example in
// a function of [WithStop]. Close does not wait on the thread itself, nor in a function that the
// thread waits for, directly or through other threads. If the goroutine of a [Loop] calls Close, it
// does what [Loop.Close] does; another goroutine waits until the Loop serves. Where functions may
// hang, [Thread.Shutdown] waits only until a context is done.
//
// Close panics where Terminate does.
func (t *Thread) Close() {
	t.mayEnd("Close")
	_ = kept(t.e.Shutdown(context.Background()), t)
}

// Shutdown is Close, but waits only until ctx is done. It returns nil where Close would return.
//
// If ctx is done before the end, Shutdown returns [context.Cause](ctx), as Shutdown of
// [net/http.Server] does, and changes nothing more: new functions are refused, what is queued still
// runs, and then the thread ends. The program may wait again, or call Terminate, which refuses what
// is queued. On the goroutine of an adopted thread that does not serve, Shutdown begins no function
// when ctx is done; a later Close, Shutdown or Serve runs the others.
//
// Shutdown panics where Terminate does.
func (t *Thread) Shutdown(ctx context.Context) error {
	t.mayEnd("Shutdown")
	return kept(t.e.Shutdown(ctx), t)
}

// Terminate ends the thread after the function that runs, and does not wait. Queued functions do
// not run, and their callers return at once.
//
// # More than once, on a Loop, on the main thread
//
// Terminate may be called more than once, and on the thread itself. The call of the running
// function returns true. The thread of the operating system ends, but not that of a [Loop]; its
// goroutine undoes what Adopt did when it next calls Terminate, a method of the Loop, or [Adopt].
//
// Terminate panics on the Thread of package mainthread, which other packages of the program need.
// That ends when the function given to mainthread.Init returns, or by Close of mainthread.Loop.
func (t *Thread) Terminate() {
	t.mayEnd("Terminate")
	t.e.Terminate()
}

func (t *Thread) mayEnd(method string) {
	if t.e.Main {
		panic("thread: " + method + " on the main thread, which the whole program needs; it ends when " +
			"the function given to mainthread.Init returns, or by mainthread.Loop().Close()")
	}
}
