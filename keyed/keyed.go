// Package keyed has one thread for each key: a network namespace, a user, a GPU, a connection.
//
//	namespaces := keyed.New(func(name string) error {
//		ns, err := netns.GetFromName(name)
//		if err != nil {
//			return err
//		}
//		defer ns.Close()
//		return netns.Set(ns)
//	}, keyed.WithMaxThreads(64))
//	defer namespaces.Close()
//
//	err := namespaces.Call(ctx, "blue", func() (err error) {
//		conn, err = dialer.DialContext(ctx, "tcp", "10.0.0.7:80") // stays in the namespace
//		return err
//	})
//
// A thread is made when its key is first used, prepared for the key once, and used again by all
// later calls for the key. What package thread promises of a call holds here. Before using it in
// place of other code, note:
//
//   - A goroutine that a function starts is not on the thread. An HTTP request in the call would
//     dial outside the namespace: the call is for the DialContext of its Transport. The project's
//     docs/traps.md has the lines, with a Resolver for names.
//   - A thread that acts for a user must not use setresuid, after which any later call of
//     [syscall.Setuid] ends the process, but [syscall.Setfsuid].
//   - A function that blocks delays all calls for its key. If one call accepts a connection that
//     another call for the same key dials, they deadlock without [WithKeyThreads].
//   - A network namespace that has been deleted lives on until its threads have ended.
//     [Threads.Forget] ends them.
//   - A call changes threads twice, which takes tens of microseconds if the thread is parked. If
//     the start is a setns alone, without a mount, a goroutine that locks its thread, enters the
//     namespace, runs the function and returns is faster.
package keyed

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/thread"
)

// Threads has one thread for each key. All methods may be called from any goroutine at any time.
//
// Functions of one key do not overlap, and the next thread of a key starts when the stop functions
// of the last one have returned, unless [WithKeyThreads] allows several.
//
// A thread that no call has used for a minute, or for the time of [WithIdleTimeout], is stopped. At
// the limit of [WithMaxThreads], a thread that no call uses is stopped if another key needs one.
// The operating system's thread ends, too, and with it what functions did to it, unless
// [WithThreadOptions] has [thread.WithKeep].
//
// Threads that are dropped without Close are reclaimed by the garbage collector, unless the start
// function, the stop function or an option refers to them. In a bubble of testing/synctest they
// must be made and closed in the bubble; before that, a call from outside panics, and so does one
// that is made in a bubble to Threads from outside if it has to wait for a thread.
type Threads[K comparable] struct{ k *set[K] }

// An Option changes what New makes.
type Option func(*config)

type config struct {
	max, each int // threads: in all, and of a key; below one, there is no limit
	idle      time.Duration
	stop      any // nil, or a func(K)
	opts      []thread.Option
}

// WithMaxThreads allows n threads in all, so that a call that needs one more ends a thread that no
// call uses, or waits. For n below one there is no limit, as without the option.
//
// # Which thread ends, and which call waits
//
// The thread that was unused for longest ends; but last those whose keys have come back soon after
// they had lost a thread in that way, and are still in use. The call waits for its end. If all
// threads are used, the call waits until its context is done or a thread has run the calls it was
// given; later calls for other keys wait behind it. Calls that wait get threads in the order in
// which they came.
//
// A call that would wait for itself makes a thread beyond the limit: a call made on one of the
// threads, or on a thread that one of them waits for, directly or through other threads.
func WithMaxThreads(n int) Option {
	return func(c *config) { c.max = n }
}

// WithKeyThreads allows up to n threads for each key, for functions that wait for each other. Each
// thread then has one call at a time: a call uses a thread without a call, or makes one, or waits
// for the first that is free. Start and stop functions run on each thread. For n below one there is
// no limit: no call waits for another of its key. Without the option, n is one.
func WithKeyThreads(n int) Option {
	return func(c *config) { c.each = n }
}

// WithIdleTimeout stops a thread when no call has used it for d. A d of zero or less never does.
// Without the option, d is a minute.
func WithIdleTimeout(d time.Duration) Option {
	return func(c *config) { c.idle = d }
}

// WithStop runs stop on each thread whose start has not failed, after everything else, as
// [thread.WithStop] says, and so also if the start of a CallWith then fails. K must be that of
// [New], which panics otherwise. If the option is given more than once, the last one counts; a nil
// stop means none.
func WithStop[K comparable](stop func(key K)) Option {
	return func(c *config) { c.stop = stop }
}

// WithThreadOptions makes the threads with opts. Their functions of [thread.WithStart] run before
// the start function that New was given, those of [thread.WithStop] after that of [WithStop].
func WithThreadOptions(opts ...thread.Option) Option {
	return func(c *config) { c.opts = append(c.opts, opts...) }
}

// New returns Threads, none of which exists yet. start runs on each new thread, before any call,
// and prepares it for its key. If start returns an error, the thread ends, and the calls that wait
// for it return the error; the next call for the key tries again. A start of nil means none.
// [WithStop] is for what start has to undo.
func New[K comparable](start func(key K) error, opts ...Option) *Threads[K] {
	k := &set[K]{
		config: config{each: 1, idle: time.Minute},
		start:  start,
		bubble: clock.Bubble(),
		keys:   map[K]*keyState[K]{},
		done:   make(chan struct{}),
	}
	k.attends.Store(true) // no timer is set
	for _, o := range opts {
		if o != nil {
			o(&k.config)
		}
	}
	if k.config.stop != nil {
		stop, ok := k.config.stop.(func(K))
		if !ok {
			panic(fmt.Sprintf("keyed: New with WithStop of a %T; its keys are of another type, write a %T",
				k.config.stop, stop))
		}
		k.stop = stop
	}
	if k.max < 1 {
		k.max = math.MaxInt
	}
	if k.each < 1 {
		k.each = math.MaxInt
	}
	k.idle = min(k.idle, math.MaxInt64/4) // so that sums do not overflow
	k.timer = time.AfterFunc(time.Hour, k.tick)
	k.timer.Stop()
	h := &Threads[K]{k}
	if k.bubble == 0 {
		runtime.AddCleanup(h, (*set[K]).close, k)
	}
	return h
}

// Call runs f on the thread for key, after the calls for the key that came before, and returns what
// f returns. Where there is no such thread it makes one. If f did not and will not run, Call
// returns
//
//   - [context.Cause](ctx), if ctx is done before f begins;
//   - the error of the thread's start, or a [*thread.PanicError] if that has panicked;
//   - [thread.ErrTerminated] after Close, or if the thread waits in its stop function for the
//     caller;
//   - [thread.ErrNil] for a nil f.
//
// The profiler labels of ctx are carried as by [thread.Thread.CallContext]. A call on the thread
// for key runs in place, after Close, too. Panics and Goexit in f are as in [thread.Thread.Call]. A
// key that is not equal to itself, such as a NaN, gets a thread for each call.
//
//threadcall:noalloc
func (h *Threads[K]) Call(ctx context.Context, key K, f func() error) error {
	return h.CallWith(ctx, key, nil, f)
}

// CallWith is Call for a caller that has what its thread needs: an open file, a token. If the call
// makes the thread, start runs there, behind the function of New, as if it were part of it.
// CallWith returns the error of its own start alone: if the start of another call has failed,
// CallWith makes the next thread.
//
//	func (ns *Namespace) Do(ctx context.Context, f func() error) error {
//		return threads.CallWith(ctx, ns.inode, ns.enter, f) // setns(ns.fd)
//	}
//
//threadcall:noalloc
func (h *Threads[K]) CallWith(ctx context.Context, key K, start, f func() error) error {
	defer runtime.KeepAlive(h)
	if f == nil {
		return thread.ErrNil
	}
	if !h.k.reachable() {
		return thread.ErrTerminated
	}
	by := engine.Self()
	if by != nil {
		if x, ok := by.User.(*worker[K]); ok && x.of == h.k && x.state.key == key {
			result, err := thread.EvalContext(ctx, x.t, f)
			if err != nil {
				return err
			}
			return result
		}
	}
	for {
		if ctx.Err() != nil {
			return engine.Cause(ctx)
		}
		x, made := h.k.find(key, by), false
		if x == nil {
			var err error
			if x, made, err = h.k.wait(ctx, key, by, start); err != nil { //threadcall:alloc a thread
				if err == context.Canceled {
					err = engine.Cause(ctx)
				}
				return err
			}
		}
		err, failed := h.k.run(ctx, x, by, f)
		if !failed || made || start == nil {
			return err
		}
	}
}

// Forget ends the threads of key when their calls have returned, and does not wait. Later calls for
// key wait until they have ended, and make a new thread. Forget may be called on the threads
// themselves; for a key without threads it does nothing.
func (h *Threads[K]) Forget(key K) {
	defer runtime.KeepAlive(h)
	k := h.k
	if !k.reachable() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.keys[key]; s != nil {
		for _, x := range s.threads {
			k.leave(x)
		}
		k.serve()
	}
}

// Close refuses calls from now on, ends each thread when its calls have returned, and waits for
// that. It does not wait on one of the threads, nor in a function that one of them waits for,
// directly or through other threads. It runs calls meanwhile as [thread.Thread.Close] does.
func (h *Threads[K]) Close() { _ = h.Shutdown(context.Background()) }

// Shutdown is Close, but waits only until ctx is done, and then returns [context.Cause](ctx), as
// Shutdown of [net/http.Server] does: calls that have a thread still run, and the threads end
// behind them. It returns nil when all threads have ended, and also where Close does not wait.
func (h *Threads[K]) Shutdown(ctx context.Context) error {
	defer runtime.KeepAlive(h)
	if !h.k.reachable() {
		return nil
	}
	h.k.close()
	return engine.WaitEnd(ctx, h.k, h.k.done)
}

// Done returns a channel that is closed when, after Close, all threads have ended.
func (h *Threads[K]) Done() <-chan struct{} { return h.k.done }
