package thread

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
)

// A Keyed is a set of threads of which each belongs to a key: a network namespace, a user, a GPU, a connection. A thread is
// made when its key is first used, prepared for the key once, and used again by all later calls for the key. All methods may
// be called from any goroutine at any time.
//
//	namespaces := thread.NewKeyed(func(name string) error {
//		ns, err := netns.GetFromName(name)
//		if err != nil {
//			return err
//		}
//		defer ns.Close()
//		return netns.Set(ns)
//	}, thread.WithMaxThreads(64))
//	defer namespaces.Close()
//
//	err := namespaces.Call(ctx, "blue", func() error { return scrape() })
//
// A thread that no call has used for a minute, or what [WithIdleTimeout] says, is stopped. So is the one that was unused for longest,
// when the limit of [WithMaxThreads] is reached and another key needs a thread. The operating system's thread ends with
// it, and nothing that its functions did to the thread outlives it, unless [WithThreadOptions] has [WithKeep].
//
// A Keyed that is dropped without Close is reclaimed by the garbage collector. In a bubble of testing/synctest, a Keyed must
// be made and closed in the bubble; one that was made outside must not make threads inside, and panics.
type Keyed[K comparable] struct{ k *keyed[K] }

// A KeyedOption changes what NewKeyed makes.
type KeyedOption func(*keyedConfig)

type keyedConfig struct {
	max  int
	idle time.Duration
	opts []Option
	stop any // a func(K)
}

// WithMaxThreads limits a [Keyed] to n threads. A call that needs one more ends a thread that no call uses, the one that was unused for
// longest, and waits until that has ended. If all are used, the call waits, until its context is done; calls that wait get
// threads in the order in which they came. While they wait, the thread that was given its last call first gets no more calls, so
// that it comes to its end, too.
//
// A call does not wait where that could be a deadlock: on one of the threads, or on a thread that one of them waits for, directly or by
// way of other threads. There it makes a thread beyond the limit. For n below one there is no limit, as without the option.
func WithMaxThreads(n int) KeyedOption {
	return func(c *keyedConfig) { c.max = n }
}

// WithIdleTimeout has a thread of a [Keyed] stopped when no call has used it for d. Zero stops it after each call, unless another
// is under way, and a negative d never. Without the option, it is a minute.
func WithIdleTimeout(d time.Duration) KeyedOption {
	return func(c *keyedConfig) { c.idle = d }
}

// WithThreadOptions has the threads of a [Keyed] made with opts. Their functions of [WithStart] run before the one that
// NewKeyed was given.
func WithThreadOptions(opts ...Option) KeyedOption {
	return func(c *keyedConfig) { c.opts = append(c.opts, opts...) }
}

// WithKeyStop has f run on each thread of a [Keyed] after everything else, as [WithStop] says. NewKeyed panics if its keys
// are not of type K.
func WithKeyStop[K comparable](f func(K)) KeyedOption {
	return func(c *keyedConfig) {
		if f != nil {
			c.stop = f
		}
	}
}

// keyed is a Keyed without the handle, which its threads must not refer to.
type keyed[K comparable] struct {
	keyedConfig
	start   func(K) error
	stopKey func(K)
	bubbled bool
	set     engine.Set // all threads that have not ended

	mu       sync.Mutex
	threads  map[K]*keyedThread[K] // those that take calls
	unused   keyedList[K]          // of them, those without; the first has been so for longest
	used     keyedList[K]          // of them, those with calls; the first was given its last call first
	places   int                   // threads that have not ended, and places given to waiting calls
	draining int                   // threads that take no more calls and have not been terminated
	ending   int                   // threads that have been terminated and have not ended
	waiting  []*keyedPlace[K]      // the first came first
	timer    *time.Timer           // ends unused threads
	armed    bool
	panics   []*PanicError
	closed   bool
	done     chan struct{} // closed when closed and no thread is left
}

// A keyedThread is one thread of a Keyed. Its fields are guarded by mu of that.
type keyedThread[K comparable] struct {
	of            *keyed[K]
	key           K
	t             *Thread
	calls         int           // that use it
	since         time.Duration // it has been unused
	left          bool          // it takes no more calls
	terminated    bool
	err           error         // of its start
	in            *keyedList[K] // that it is in, or nil
	before, after *keyedThread[K]
}

// A keyedPlace is what a call waits for that needs a thread.
type keyedPlace[K comparable] struct {
	key   K
	given bool
	x     *keyedThread[K] // or else the thread for key that another call has made, which counts this call
	woken chan struct{}   // closed when it need not wait any more
}

// NewKeyed returns a Keyed without threads. start runs on each new thread, before any call, and prepares it for its key; an error
// ends the thread and is returned by the calls that wait for it. The next call for the key tries again. A nil start does nothing.
func NewKeyed[K comparable](start func(key K) error, opts ...KeyedOption) *Keyed[K] {
	k := &keyed[K]{
		keyedConfig: keyedConfig{idle: time.Minute},
		start:       start,
		bubbled:     engine.InBubble(),
		threads:     map[K]*keyedThread[K]{},
		done:        make(chan struct{}),
	}
	for _, o := range opts {
		if o != nil {
			o(&k.keyedConfig)
		}
	}
	if k.stop != nil {
		f, ok := k.stop.(func(K))
		if !ok {
			panic(fmt.Sprintf("thread: WithKeyStop with a %T in NewKeyed for keys of type %T; give it a function of that type", k.stop, *new(K)))
		}
		k.stopKey = f
	}
	k.timer = time.AfterFunc(time.Hour, k.expire)
	k.timer.Stop()
	h := &Keyed[K]{k}
	if !k.bubbled {
		runtime.AddCleanup(h, (*keyed[K]).close, k)
	}
	return h
}

// Call runs f on the thread for key, after the calls for the key that came before, and returns what f returns. Where there is no
// such thread it makes one. If f did not and will not run, Call returns
//
//   - [context.Cause](ctx), if ctx is done before f begins;
//   - the error of the thread's start, or a [*PanicError] if that has panicked;
//   - [ErrTerminated] after Close;
//   - [ErrNil] for a nil f.
//
// The profiler labels of ctx are carried as by [Thread.CallContext]. A call that is made on the thread for key runs in place. Panics and Goexit in f are as in [Thread.Call].
// A key that is not equal to itself, as a floating-point NaN, gets a thread for each call.
//
//threadcall:noalloc
func (h *Keyed[K]) Call(ctx context.Context, key K, f func() error) error {
	defer runtime.KeepAlive(h)
	if f == nil {
		return ErrNil
	}
	if ctx.Err() != nil {
		return engine.Cause(ctx)
	}
	x, err := h.k.use(ctx, key)
	if err != nil {
		return err
	}
	defer h.k.unuse(x)
	result, err := EvalContext(ctx, x.t, f)
	if err == nil {
		return result
	}
	if err == ErrTerminated {
		h.k.mu.Lock()
		defer h.k.mu.Unlock()
		if x.err != nil {
			return x.err
		}
	}
	return err
}

// Len returns the number of threads that take calls.
func (h *Keyed[K]) Len() int {
	defer runtime.KeepAlive(h)
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	return len(h.k.threads)
}

// Close refuses calls from now on, ends each thread when the calls that use it have returned, and waits for that. It does not wait on
// one of the threads, nor in a function that one of them waits for, directly or by way of other threads.
func (h *Keyed[K]) Close() {
	h.k.close()
	h.k.set.Wait(h.k.done, nil)
	runtime.KeepAlive(h)
}

// Done returns a channel that is closed when, after Close, all threads have ended.
func (h *Keyed[K]) Done() <-chan struct{} { return h.k.done }

// TakePanic removes and returns the oldest panic of a function of [WithKeyStop] or [WithStop], or nil. The first 1,024 are kept.
func (h *Keyed[K]) TakePanic() *PanicError {
	defer runtime.KeepAlive(h)
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	if len(h.k.panics) == 0 {
		return nil
	}
	p := h.k.panics[0]
	h.k.panics = h.k.panics[1:]
	return p
}

// use returns the thread for key, which it makes if need be, and counts one more call that uses it.
//
//threadcall:noalloc
func (k *keyed[K]) use(ctx context.Context, key K) (*keyedThread[K], error) {
	if x := k.find(key); x != nil {
		return x, nil
	}
	return k.make(ctx, key) //threadcall:alloc a thread
}

// find is use, but returns nil where there is no thread for key.
//
//threadcall:noalloc
func (k *keyed[K]) find(key K) *keyedThread[K] {
	k.mu.Lock()
	defer k.mu.Unlock() // also if K is an interface, and the key's type cannot be hashed
	x := k.threads[key]
	if x != nil {
		x.calls++
		k.used.add(x)
	}
	return x
}

// make is use where there is no thread for key.
func (k *keyed[K]) make(ctx context.Context, key K) (*keyedThread[K], error) {
	if x, ok := engine.User().(*keyedThread[K]); ok && x.of == k && x.key == key { // it takes no calls but its own
		k.mu.Lock()
		defer k.mu.Unlock()
		x.calls++
		return x, nil
	}
	if !k.bubbled && engine.InBubble() {
		panic("thread: a Keyed that was made outside a bubble of testing/synctest is to make a thread inside; make the Keyed inside")
	}
	var p *keyedPlace[K]
	for {
		k.mu.Lock()
		if p != nil && p.x != nil {
			k.mu.Unlock()
			return p.x, nil
		}
		x := k.threads[key]
		switch {
		case k.closed || x != nil || ctx.Err() != nil:
			k.leave(p)
			if x == nil {
				k.mu.Unlock()
				if err := engine.Cause(ctx); err != nil {
					return nil, err
				}
				return nil, ErrTerminated
			}
			x.calls++
			k.used.add(x)
			k.mu.Unlock()
			return x, nil
		case p != nil && !p.given: // it would have been a deadlock
			k.leave(p)
			k.places++
		case p == nil && (k.max < 1 || k.places < k.max):
			k.places++
		case p == nil:
			p = &keyedPlace[K]{key: key, woken: make(chan struct{})}
			k.waiting = append(k.waiting, p)
			k.makeRoom()
			k.mu.Unlock()
			k.set.Wait(p.woken, ctx.Done())
			continue
		}
		x = k.add(key)
		k.mu.Unlock()
		return x, nil
	}
}

// leave gives up a place, or the wait for it. The caller holds mu, as in all functions that follow.
func (k *keyed[K]) leave(p *keyedPlace[K]) {
	switch {
	case p == nil:
	case p.given:
		k.places--
		k.give()
	default:
		k.waiting = slices.DeleteFunc(k.waiting, func(other *keyedPlace[K]) bool { return other == p })
	}
}

// add makes a thread for key, for which there is a place, and its first call.
func (k *keyed[K]) add(key K) *keyedThread[K] {
	x := &keyedThread[K]{of: k, key: key, calls: 1}
	o := options(k.opts)
	if k.start != nil {
		o.starts = append(slices.Clone(o.starts), func(int) error { return k.start(key) })
	}
	if k.stopKey != nil {
		o.stops = append(slices.Clone(o.stops), func(int) { k.stopKey(key) })
	}
	x.t = wrap(o)
	e := x.t.e
	e.SetUser(x)
	e.OnEnd(func() { k.ended(x) })
	e.Post(func() { x.begin(o) })
	if same := key; same == key {
		k.threads[key] = x
		k.used.add(x)
	} else {
		x.left = true
		k.draining++
	}
	k.set.Add(e)
	k.waiting = slices.DeleteFunc(k.waiting, func(p *keyedPlace[K]) bool {
		if p.key != key {
			return false
		}
		p.x = x
		x.calls++
		close(p.woken)
		return true
	})
	k.makeRoom() // for those that came before there was a thread that could end
	e.Start(o.setup(), o.keep)
	return x
}

var errStartExited = errors.New("thread: the start function of a Keyed has called runtime.Goexit")

// begin prepares the thread, on which it runs, or ends it. It is called without mu.
func (x *keyedThread[K]) begin(o config) {
	err := errStartExited
	defer func() {
		if v := recover(); v != nil {
			err = taken(engine.Caught(v), 0)
		}
		if err != nil {
			x.of.fail(x, err)
		}
	}()
	err = o.start(x.t.e, 0)
}

// fail ends a thread whose start has failed. It is called without mu.
func (k *keyed[K]) fail(x *keyedThread[K], err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	x.err = err
	k.terminate(x)
}

// unuse ends a call that uses x. It is called without mu.
//
//threadcall:noalloc
func (k *keyed[K]) unuse(x *keyedThread[K]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if x.calls--; x.calls > 0 {
		return
	}
	if x.left || k.idle == 0 || k.shortage() > 0 {
		k.terminate(x) //threadcall:alloc the end of a thread
		return
	}
	k.unused.add(x)
	if k.idle > 0 {
		x.since = engine.Now()
		if !k.armed {
			k.armed = true
			k.timer.Reset(k.idle)
		}
	}
}

// expire is the timer's function: it ends the threads that have been unused for long enough. It is called without mu.
func (k *keyed[K]) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = false
	for x := k.unused.first; x != nil; x = k.unused.first {
		if left := k.idle - (engine.Now() - x.since); left > 0 {
			k.armed = true
			k.timer.Reset(left)
			return
		}
		k.terminate(x)
	}
}

// shortage returns how many threads must end, besides those that have been terminated, so that the limit holds and each call that
// waits has a place.
//
//threadcall:noalloc
func (k *keyed[K]) shortage() int {
	if k.max < 1 {
		return 0
	}
	return len(k.waiting) + k.places - k.max - k.ending
}

// makeRoom ends threads so that each call that waits comes to its place: those that are unused, and else those that are used, when their
// calls have returned.
func (k *keyed[K]) makeRoom() {
	for k.shortage() > 0 && k.unused.first != nil {
		k.terminate(k.unused.first)
	}
	for min(k.shortage(), len(k.waiting)) > k.draining && k.used.first != nil {
		k.remove(k.used.first)
	}
}

// remove has x take no more calls.
func (k *keyed[K]) remove(x *keyedThread[K]) {
	if x.left {
		return
	}
	x.left = true
	k.draining++
	delete(k.threads, x.key)
	x.in.remove(x)
}

// terminate ends x now.
func (k *keyed[K]) terminate(x *keyedThread[K]) {
	if x.terminated {
		return
	}
	k.remove(x)
	x.terminated = true
	k.draining--
	k.ending++
	x.t.e.Terminate()
}

// ended is called on the thread of x as the last. It is called without mu.
func (k *keyed[K]) ended(x *keyedThread[K]) {
	k.set.Remove(x.t.e)
	k.mu.Lock()
	defer k.mu.Unlock()
	for p := x.t.TakePanic(); p != nil; p = x.t.TakePanic() {
		if len(k.panics) < maxPanics {
			k.panics = append(k.panics, p)
		}
	}
	k.ending--
	k.places--
	k.give()
}

// maxPanics is how many panics are kept.
const maxPanics = 1024

// give gives places that are free to the calls that wait for one.
func (k *keyed[K]) give() {
	for len(k.waiting) > 0 && k.places < k.max {
		p := k.waiting[0]
		k.waiting = slices.Delete(k.waiting, 0, 1)
		k.places++
		p.given = true
		close(p.woken)
	}
	if k.closed && k.places == 0 {
		select {
		case <-k.done:
		default:
			close(k.done)
		}
	}
}

// close is Close, but does not wait. It is called without mu.
func (k *keyed[K]) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	k.closed = true
	k.timer.Stop()
	for _, p := range k.waiting {
		close(p.woken)
	}
	k.waiting = nil
	for _, x := range k.threads {
		if k.remove(x); x.calls == 0 {
			k.terminate(x)
		}
	}
	k.give()
}

// A keyedList is a list of threads. Its zero value is empty.
type keyedList[K comparable] struct{ first, last *keyedThread[K] }

// add puts x at the end, and removes it from the list that it is in. A thread that takes no more calls is in none.
//
//threadcall:noalloc
func (l *keyedList[K]) add(x *keyedThread[K]) {
	if x.left {
		return
	}
	if x.in != nil {
		x.in.remove(x)
	}
	x.in, x.before, x.after = l, l.last, nil
	if l.last == nil {
		l.first = x
	} else {
		l.last.after = x
	}
	l.last = x
}

//threadcall:noalloc
func (l *keyedList[K]) remove(x *keyedThread[K]) {
	if x.before == nil {
		l.first = x.after
	} else {
		x.before.after = x.after
	}
	if x.after == nil {
		l.last = x.before
	} else {
		x.after.before = x.before
	}
	x.in, x.before, x.after = nil, nil, nil
}
