// Package thread runs functions on the thread of the operating system to which they belong.
//
// Some libraries must always be called from one thread: OpenGL and CUDA contexts, ptrace, network
// namespaces, COM apartments, an embedded Python. A [Thread] is such a thread; any goroutine may
// hand it functions.
//
//	t := thread.New(thread.WithName("gl"))
//	defer t.Close() // runs what is queued
//
//	t.Call(func() { gl.Clear(gl.COLOR_BUFFER_BIT) }) // runs there, returns after it
//	n := thread.MustEval(t, width)                   // the same, with a result
//	t.Go(gl.Flush)                                   // runs there some time later
//	clear := thread.Bind1(t, gl.Clear)               // a func(uint32) that runs there
//
// Terminate, in place of Close, is for an end that must not wait, such as that of a program which
// gives up: functions that have not begun do not run.
//
// # What a call promises
//
//  1. A function runs exactly once, or it does not run at all and the call says so, whatever
//     Terminate, a deadline or the end of main do at that moment: Call returns false, CallContext
//     and EvalContext return an error, MustCall and MustEval panic with one. A nil function does
//     not run: false, [ErrNil], or a panic with an error that wraps it. For an option or a setter,
//     nil means none.
//  2. The function sees what its caller wrote before the call, and the caller sees after the call
//     what the function wrote.
//  3. The calls of one goroutine to a thread that it is not on run in the order in which it made
//     them, Go and Call alike.
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
//     has ended. A call that has waited for five seconds for a thread that nothing serves is
//     reported on standard error.
//  9. Terminate may be called anywhere and any number of times, but not for the main thread. When
//     one has returned, nothing begins. Close first runs what is queued. Starts and stops are
//     pairs, undone in reverse. The garbage collector reclaims a Thread that is dropped.
//  10. An idle thread uses no CPU. No call allocates in the steady state. A function literal that
//     captures variables is allocated where it is made; [Bind2] and [BindGo2] need none.
//
// docs/proof.md of the project names the tests of each.
//
// # Testing
//
// Threads work in the bubbles of [testing/synctest]. A thread that is made in a bubble has the time
// of the bubble. It must be terminated before the test ends, as any goroutine of a bubble, and the
// garbage collector does not reclaim it. A call from outside the bubble, or from another one,
// panics until the thread has been terminated; then it returns false.
//
// A thread that is made outside, such as the main thread, may be called from a bubble. Its
// functions run outside: they see the real time, and must not use channels and timers of the
// bubble. While a goroutine of the bubble waits for such a thread, the clock of the bubble stands
// still, so its deadlines do not pass.
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
// call Goexit after the call. A Goexit in a function that a [Loop] runs ends the goroutine of the
// loop.
//
// While goroutines compute on all Ps, a call waits for their time slices of 10 ms, as a message on
// a channel does. If no more goroutines compute than there are cores, one more P avoids that:
// runtime.GOMAXPROCS(runtime.NumCPU()+1).
package thread

import (
	"context"
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/access"
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
// A Thread from [New] that is dropped without Terminate is reclaimed by the garbage collector,
// after it has run what was queued and what [AddCleanup] frees. References from a [Local] and from
// the function of [Thread.OnSlowCall] do not keep it alive.
type Thread struct {
	e     *engine.Engine // must not lead back to the Thread, or it could never be reclaimed
	owner *engine.Owner  // has what may lead back
	life  *life
	name  string

	mu     sync.Mutex
	locals map[any]any // what each Local has for the Thread, by *Local[T] a *T
}

// New starts a thread. It does not wait until the operating system has made the thread; calls do.
// So New cannot return the error of a function of [WithStart]: the error ends the thread and is
// reported as a panic. [Start] returns it.
func New(opts ...Option) *Thread {
	o := options(opts)
	t := wrap(o)
	o.hooks.begin(t.e, t.e)
	t.e.Start(o.setup(), o.keep)
	return t
}

func init() {
	access.New = func(opts any) access.Unstarted { return unstarted(opts.([]Option)) }
}

func wrap(o config) *Thread {
	e, owner := engine.New(o.limit)
	if o.main {
		e.IsMain()
	}
	e.SetName(o.name, o.times)
	if o.parks {
		e.NeverSpin()
	}
	if notify := o.watcher(); notify != nil {
		owner.Watch(o.slow, notify)
	}
	e.OnPanic(handler(o.handle))
	t := &Thread{e: e, owner: owner, life: &life{e}, name: o.name}
	if !e.Bubbled() {
		runtime.AddCleanup(t.life, (*engine.Engine).Retire, e)
	}
	return t
}

// ID returns a number that no other Thread or [Pool] of this process has or will have, the id in
// what package recorderhttp serves. It is not the operating system's.
//
//threadcall:noalloc
func (t *Thread) ID() uint64 { return t.e.ID() }

// Call runs f on the thread and returns true after it. It returns false, and f will not run, if f
// is nil or the thread is terminated before f begins; [Thread.MustCall] panics instead.
//
// If f panics, Call panics with the same value. If nothing recovers it, the report that ends the
// process also has the stack of the thread at that moment. If f calls [runtime.Goexit], so does
// Call.
//
// A Call made on another thread waits there, and that thread may run functions meanwhile. If one of
// them calls Goexit, f does not begin; if f has begun, Call waits for its end.
//
//threadcall:noalloc
func (t *Thread) Call(f func()) bool {
	ok := t.e.Call(f)
	runtime.KeepAlive(t) // or it might be reclaimed while the call is queued
	return ok
}

// CallContext runs f on the thread and returns nil after it. Otherwise f will not run, and
// CallContext returns
//
//   - [context.Cause](ctx), if ctx is done before f begins, or [context.Canceled] if that is nil;
//   - [ErrTerminated], if the thread is terminated before f begins;
//   - [ErrNil], if f is nil.
//
// Once f has begun, CallContext waits for its end. A call that was given up keeps nothing alive,
// even if the thread hangs.
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
	err := t.e.CallContext(ctx, f)
	runtime.KeepAlive(t)
	return err
}

// Go queues f to run on the thread and returns true. It returns false, and f will not run, if f is
// nil or the thread is terminated. If the thread is terminated later, before f begins, f does not
// run either, and nothing reports that. Go never blocks, unless [WithQueueLimit] bounds the queue.
//
// A panic in f is reported on standard error, or to the function of [WithPanicHandler].
//
//threadcall:noalloc
func (t *Thread) Go(f func()) bool {
	ok := t.e.Go(f)
	runtime.KeepAlive(t)
	return ok
}

// TryGo is Go, but never waits: if the queue is as long as [WithQueueLimit] allows, it returns
// false and f will not run, on the thread itself, too.
//
//threadcall:noalloc
func (t *Thread) TryGo(f func()) bool {
	ok := t.e.TryGo(f)
	runtime.KeepAlive(t)
	return ok
}

// GoContext is Go, but f does not run if ctx is done when its turn comes. The thread looks at ctx
// only then; until then f is queued, and counts towards [WithQueueLimit]. GoContext returns nil if
// f is queued. Otherwise f will not run, and GoContext returns, as [Thread.CallContext] does,
//
//   - [context.Cause](ctx), if ctx is done already, or while GoContext waits for that limit;
//   - [ErrTerminated], if the thread is terminated or closed;
//   - [ErrNil], if f is nil.
//
// The profiler labels of ctx are carried as by CallContext.
//
//threadcall:noalloc
func (t *Thread) GoContext(ctx context.Context, f func()) error {
	err := t.e.GoContext(ctx, f)
	runtime.KeepAlive(t)
	return err
}

// On reports whether the caller is on the thread, in a coroutine of [iter.Pull], too. It is false
// when the thread has been terminated and serves no more, but for the main thread of package
// mainthread. On js/wasm a coroutine inside a call is not recognised, and must not call the thread
// that it is on.
//
//threadcall:noalloc
func (t *Thread) On() bool { return t.e.On() }

// Done returns a channel that is closed when the thread has ended and no function runs on it. A
// thread ends by Terminate or Close, one from [New] also when it has been reclaimed. The channel
// does not keep the Thread alive. In a bubble of testing/synctest it belongs to the bubble.
func (t *Thread) Done() <-chan struct{} { return t.e.Done() }

// Close ends the thread when it has run what is queued, and waits for its end. What comes later is
// refused.
//
// # What is refused
//
// Go, TryGo and a post of [Thread.Coalesce] return false at once, GoContext returns
// [ErrTerminated], and Call and CallContext return when the thread has ended. Only calls that a
// running function needs still run: those that it makes on the thread, and those of a thread that
// it waits for, directly or through other threads. A tick of a [Timer] runs if it is queued
// already.
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
	_ = t.e.Shutdown(context.Background())
	runtime.KeepAlive(t)
}

// Shutdown is Close, but waits only until ctx is done. It returns nil when the thread has ended,
// and also where Close does not wait.
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
	err := t.e.Shutdown(ctx)
	runtime.KeepAlive(t)
	return err
}

// Terminate ends the thread after the function that runs, and does not wait. Queued functions do
// not run, and their callers return at once.
//
// # More than once, on a Loop, on the main thread
//
// Terminate may be called more than once, and on the thread itself. The call of the running
// function returns true.
//
// The thread of the operating system ends, but not that of a [Loop]; its goroutine undoes what
// Adopt did when it next calls Terminate, a method of the Loop, or [Adopt].
//
// Terminate panics on the Thread of package mainthread, which other packages of the program need.
// That Thread ends when the function given to mainthread.Init returns, or by Close of
// mainthread.Loop; calls on the main thread run in place even then.
func (t *Thread) Terminate() {
	t.mayEnd("Terminate")
	t.e.Terminate()
}

// mayEnd panics if the Thread is that of package mainthread.
func (t *Thread) mayEnd(method string) {
	if t.e.Permanent() {
		panic("thread: " + method + " on the main thread, which the whole program needs; it ends when " +
			"the function given to mainthread.Init returns, or by mainthread.Loop().Close()")
	}
}
