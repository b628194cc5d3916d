package thread

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/engine"
)

// A Keyed has one thread for each key: a network namespace, a user, a GPU, a connection. A thread
// is made when its key is first used, prepared for the key once, and used again by all later
// calls for the key. All methods may be called from any goroutine at any time.
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
// Functions of one key do not overlap, and the next thread of a key starts when the stop
// functions of the last one have returned. [WithKeyThreads] allows several threads a key.
//
// A thread that no call has used for a minute, or what [WithIdleTimeout] says, is stopped. So is
// the one that was unused for longest, when the limit of [WithMaxThreads] is reached and another
// key needs a thread. The operating system's thread ends with it, and nothing that its functions
// did to the thread outlives it, unless [WithThreadOptions] has [WithKeep].
//
// Three things to know before a Keyed replaces something else:
//
//   - A function that blocks delays all calls for its key. If one call accepts a connection that
//     another call for the same key is to dial, they deadlock without [WithKeyThreads].
//   - A network namespace that has been deleted lives on until the threads in it have ended.
//     [Keyed.Forget] ends them.
//   - A call changes threads twice, tens of microseconds if the thread is parked. Where setns is
//     all there is to prepare, without a mount, a goroutine that locks its thread, enters the
//     namespace, runs the function and goes back does without that: it is faster.
//
// A Keyed that is dropped without Close is reclaimed by the garbage collector. In a bubble of
// testing/synctest, a Keyed must be made and closed in the bubble; a call inside panics if it has
// to wait for a thread of one that was made outside.
type Keyed[K comparable] struct{ k *keyed[K] }

// A KeyedOption changes what NewKeyed makes.
type KeyedOption func(*keyedConfig)

type keyedConfig struct {
	max, each int // threads: in all, and of a key
	idle      time.Duration
	opts      []Option
	stop      any // a func(K)
}

// limited returns n, or no limit for an n below one.
func limited(n int) int {
	if n < 1 {
		return math.MaxInt
	}
	return n
}

// WithMaxThreads limits a [Keyed] to n threads. A call that needs one more ends a thread that no
// call uses, the one that was unused for longest, and waits until that has ended. If all are
// used, the call waits, until its context is done, for the first that has run the calls it was
// given: while it waits, later calls for other keys wait behind it. Calls that wait get threads
// in the order in which they came.
//
// A call does not wait where that could be a deadlock: on one of the threads, or on a thread that
// one of them waits for, directly or by way of other threads. There it makes a thread beyond the
// limit. For n below one there is no limit, as without the option.
func WithMaxThreads(n int) KeyedOption {
	return func(c *keyedConfig) { c.max = limited(n) }
}

// WithKeyThreads allows a [Keyed] up to n threads for each key, for functions that wait for each
// other. Then a thread is given one call at a time: a call uses a thread that no other call uses,
// or makes one, or waits for the first that is free. Start and stop functions run on each thread.
// For n below one there is no limit: no call waits for another one of its key. Without the
// option, n is one.
func WithKeyThreads(n int) KeyedOption {
	return func(c *keyedConfig) { c.each = limited(n) }
}

// WithIdleTimeout has a thread of a [Keyed] stopped when no call has used it for d. Zero stops it
// after each call, unless another is under way, and a negative d never. Without the option, it is
// a minute.
func WithIdleTimeout(d time.Duration) KeyedOption {
	return func(c *keyedConfig) { c.idle = d }
}

// WithThreadOptions has the threads of a [Keyed] made with opts. Their functions of [WithStart] run
// before the one that NewKeyed was given.
func WithThreadOptions(opts ...Option) KeyedOption {
	return func(c *keyedConfig) { c.opts = append(c.opts, opts...) }
}

// WithKeyStop has f run on each thread of a [Keyed] after everything else, as [WithStop] says.
// NewKeyed panics if its keys are not of type K.
func WithKeyStop[K comparable](f func(K)) KeyedOption {
	return func(c *keyedConfig) {
		if f != nil {
			c.stop = f
		}
	}
}

// keyed is a Keyed without the handle, which its threads must not refer to. It has so many slots as
// WithMaxThreads says, and each thread takes one. The states of a thread, which mu guards:
//
//	state      the thread                         a call for its key              next state
//	made       does not exist; serve has granted  waits for it                    starting, by that
//	           a call the slot                                                    call; or none
//	starting   runs its start functions, which    uses it, behind them            used; or ending, if
//	           count as a call                                                    they fail
//	used       has calls                          uses it; waits while short      unused, when they
//	                                              is set, as then it must yield   have returned
//	unused     is in the list unused              uses it                         used; ending
//	forgotten  has calls, and left is set         waits for its end               ending, when they
//	                                                                              have returned
//	ending     terminated is set: runs its stop   waits for its end               ended, by itself
//	           functions
//	ended      does not exist                     takes a slot, or waits for one  made
//
// With several threads a key, a call does not use a thread that is starting or used, but another
// one. In every state a call that is made on the thread itself runs in place. One that is made on
// a thread that this one waits for cannot wait: it uses a thread that is starting, used or
// forgotten, and is refused by one that is ending.
type keyed[K comparable] struct {
	keyedConfig
	start   func(K) error
	stopKey func(K)
	bubbled bool
	set     engine.Set // all threads that have not ended

	mu       sync.Mutex
	keys     map[K]*keyState[K]
	queue    keyedList[*keyState[K]]    // with calls that may need a slot; the first came first
	unused   keyedList[*keyedThread[K]] // the first has been so for longest
	ending   keyedList[*keyedThread[K]] // about to free a slot; the first was terminated first
	slots    int                        // that threads have which have not ended, or that are granted
	open     int                        // threads that take calls
	short    bool                       // a call in queue needs a slot that no thread is about to free
	arrivals uint64                     // of calls in queue
	timer    *time.Timer                // ends unused threads
	armed    bool
	watch    *time.Timer // finds threads that take long to end
	watching bool
	panics   []*PanicError
	closed   bool
	done     chan struct{} // closed when closed and no thread is left
}

// A keyState has the threads of a key, and the calls that wait for one. It is in keys as long as
// it has any, except for a key that is not equal to itself.
type keyState[K comparable] struct {
	key       K
	threads   []*keyedThread[K] // that have not ended
	made      int               // slots that are granted to calls
	forgotten int               // threads that must end before the next is made
	waiting   []*keyedCall[K]   // the first came first
	node      keyedNode[*keyState[K]]
}

// A keyedCall is a call that waits for a thread.
type keyedCall[K comparable] struct {
	arrival uint64
	x       *keyedThread[K] // that counts this call
	granted bool            // or a slot
	on      bool            // it is made on a thread
	woken   chan struct{}   // has a token when something has changed
}

func (p *keyedCall[K]) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// A keyedThread is one thread of a Keyed. mu guards its fields.
type keyedThread[K comparable] struct {
	of         *keyed[K]
	state      *keyState[K]
	t          *Thread
	calls      int           // that use it
	since      time.Duration // it has been unused or ending
	left       bool          // it takes no more calls
	forgotten  bool
	terminated bool
	err        error                      // of its start
	node       keyedNode[*keyedThread[K]] // in unused or ending
}

// NewKeyed returns a Keyed without threads. start runs on each new thread, before any call, and
// prepares it for its key; an error ends the thread and is returned by the calls that wait for
// it. The next call for the key tries again. A nil start does nothing.
func NewKeyed[K comparable](start func(key K) error, opts ...KeyedOption) *Keyed[K] {
	k := &keyed[K]{
		keyedConfig: keyedConfig{max: math.MaxInt, each: 1, idle: time.Minute},
		start:       start,
		bubbled:     engine.InBubble(),
		keys:        map[K]*keyState[K]{},
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
			panic(fmt.Sprintf("thread: WithKeyStop with a %T in NewKeyed for keys of type %T; "+
				"give it a function of that type", k.stop, *new(K)))
		}
		k.stopKey = f
	}
	k.timer, k.watch = time.AfterFunc(time.Hour, k.expire), time.AfterFunc(time.Hour, k.late)
	k.timer.Stop()
	k.watch.Stop()
	h := &Keyed[K]{k}
	if !k.bubbled {
		runtime.AddCleanup(h, (*keyed[K]).close, k)
	}
	return h
}

// Call runs f on the thread for key, after the calls for the key that came before, and returns
// what f returns. Where there is no such thread it makes one. If f did not and will not run, Call
// returns
//
//   - [context.Cause](ctx), if ctx is done before f begins;
//   - the error of the thread's start, or a [*PanicError] if that has panicked;
//   - [ErrTerminated] after Close, or if the thread waits in its stop function for the caller;
//   - [ErrNil] for a nil f.
//
// The profiler labels of ctx are carried as by [Thread.CallContext]. A call that is made on the
// thread for key runs in place, after Close, too. Panics and Goexit in f are as in [Thread.Call].
// A key that is not equal to itself, as a floating-point NaN, gets a thread for each call.
//
//threadcall:noalloc
func (h *Keyed[K]) Call(ctx context.Context, key K, f func() error) error {
	return h.CallWith(ctx, key, nil, f)
}

// CallWith is Call for a caller that has what a thread must be prepared with: an open file, a
// token. If the call makes the thread, start runs there, behind the function of NewKeyed, as if
// it were part of that. If another call's start has failed, CallWith makes the next thread, and
// returns the error of its own start alone.
//
//	func (ns *Namespace) Do(ctx context.Context, f func() error) error {
//		return threads.CallWith(ctx, ns.inode, ns.enter, f) // setns(ns.fd)
//	}
//
//threadcall:noalloc
func (h *Keyed[K]) CallWith(ctx context.Context, key K, start, f func() error) error {
	defer runtime.KeepAlive(h)
	if f == nil {
		return ErrNil
	}
	if x, ok := engine.User().(*keyedThread[K]); ok && x.of == h.k && x.state.key == key {
		result, err := EvalContext(ctx, x.t, f)
		if err != nil {
			return err
		}
		return result
	}
	for {
		if ctx.Err() != nil {
			return engine.Cause(ctx)
		}
		x, made := h.k.find(key), false
		if x == nil {
			var err error
			if x, made, err = h.k.wait(ctx, key, start); err != nil { //threadcall:alloc a thread
				return err
			}
		}
		err, failed := h.k.run(ctx, x, f)
		if !failed || made || start == nil {
			return err
		}
	}
}

// run has f run on x, which counts the call. failed says that it did not because x has not started.
//
//threadcall:noalloc
func (k *keyed[K]) run(ctx context.Context, x *keyedThread[K], f func() error) (
	_ error, failed bool) {
	defer k.unuse(x)
	result, err := EvalContext(ctx, x.t, f)
	if err == nil {
		return result, false
	}
	if err == ErrTerminated {
		k.mu.Lock()
		defer k.mu.Unlock()
		if x.err != nil {
			return x.err, true
		}
	}
	return err, false
}

// Forget ends the threads of key when their calls have returned, and does not wait for that.
// Later calls for key make a new thread when these have ended. Forget may be called on the
// threads themselves; for a key without threads it does nothing.
func (h *Keyed[K]) Forget(key K) {
	defer runtime.KeepAlive(h)
	k := h.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.keys[key]; s != nil {
		for _, x := range s.threads {
			k.leave(x)
			x.forgotten = true
		}
		s.forgotten = len(s.threads)
		k.serve()
	}
}

// Len returns the number of threads that take calls.
func (h *Keyed[K]) Len() int {
	defer runtime.KeepAlive(h)
	h.k.mu.Lock()
	defer h.k.mu.Unlock()
	return h.k.open
}

// Close refuses calls from now on, ends each thread when the calls that use it have returned, and
// waits for that. It does not wait on one of the threads, nor in a function that one of them
// waits for, directly or by way of other threads.
func (h *Keyed[K]) Close() {
	h.k.close()
	h.k.set.Wait(h.k.done, nil)
	runtime.KeepAlive(h)
}

// Done returns a channel that is closed when, after Close, all threads have ended.
func (h *Keyed[K]) Done() <-chan struct{} { return h.k.done }

// TakePanic removes and returns the oldest panic of a function of [WithKeyStop] or [WithStop], or
// nil. The first 1,024 are kept.
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

// find returns a thread for key, which counts one more call, or nil if the call must wait for one.
//
//threadcall:noalloc
func (k *keyed[K]) find(key K) *keyedThread[K] {
	k.mu.Lock()
	defer k.mu.Unlock() // also if K is an interface, and the key's type cannot be hashed
	s := k.keys[key]
	if s == nil || k.short {
		return nil
	}
	x := k.taker(s)
	if x != nil {
		k.take(x)
	}
	return x
}

// wait is find where the call must wait for a thread or make one; made says that it did.
func (k *keyed[K]) wait(ctx context.Context, key K, start func() error) (
	x *keyedThread[K], made bool, err error) {
	if !k.bubbled && engine.InBubble() {
		panic("thread: a Keyed that was made outside a bubble of testing/synctest is to make a thread " +
			"inside, or wait for one; make the Keyed inside")
	}
	p := &keyedCall[K]{woken: make(chan struct{}, 1), on: engine.OnAny()}
	cancel := ctx.Done()
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.keys[key]
	if s == nil {
		s = &keyState[K]{key: key}
		s.node.v = s
		if same := key; same == key { // or nothing would find it
			k.keys[key] = s
		}
	}
	k.arrivals++
	p.arrival = k.arrivals
	s.waiting = append(s.waiting, p)
	k.enqueue(s)
	k.serve()
	for {
		switch {
		case p.x != nil:
			return p.x, false, nil
		case err == nil && k.closed:
			err = ErrTerminated
		}
		switch {
		case err != nil:
			k.withdraw(s, p)
			return nil, false, err
		case p.granted:
			return k.add(s, start), true, nil
		}
		on := k.dependsOn(s)
		k.mu.Unlock()
		y := on.Wait(p.woken, cancel)
		err = engine.Cause(ctx)
		k.mu.Lock()
		if y != nil && err == nil && p.x == nil && !p.granted && !k.closed {
			err = k.escape(s, p, y)
		}
	}
}

// dependsOn returns the threads of which one must go on, so that a call for s need not wait. The
// caller holds mu, as in all functions that follow.
func (k *keyed[K]) dependsOn(s *keyState[K]) *engine.Set {
	if k.room(s) > 0 || k.taker(s) != nil {
		return &k.set
	}
	set := new(engine.Set)
	for _, x := range s.threads {
		set.Add(x.t.e)
	}
	return set
}

// escape ends the wait of p for s, which could be a deadlock: y waits for it. A thread of the key
// must run the call if it is y, and otherwise may; or else the call gets a slot beyond the limit.
func (k *keyed[K]) escape(s *keyState[K], p *keyedCall[K], y *engine.Engine) error {
	x := k.taker(s)
	for _, other := range s.threads {
		if other.t.e == y {
			x = other
		}
	}
	switch {
	case x != nil && !x.terminated:
		k.give(x, p)
	case k.room(s) > 0:
		k.grant(s, p)
	case x != nil:
		return ErrTerminated
	default:
		return nil // something has changed meanwhile
	}
	k.remove(s, p)
	k.serve()
	return nil
}

// taker returns a thread of s that a call may use, or nil.
//
//threadcall:noalloc
func (k *keyed[K]) taker(s *keyState[K]) *keyedThread[K] {
	for _, x := range s.threads {
		if !x.left && (x.calls == 0 || k.each == 1) {
			return x
		}
	}
	return nil
}

// room returns how many threads s may have besides those that it has.
func (k *keyed[K]) room(s *keyState[K]) int {
	if s.forgotten > 0 {
		return 0
	}
	return k.each - len(s.threads) - s.made
}

// take has x count one more call.
//
//threadcall:noalloc
func (k *keyed[K]) take(x *keyedThread[K]) {
	x.calls++
	x.node.remove()
}

// give has p use x.
func (k *keyed[K]) give(x *keyedThread[K], p *keyedCall[K]) {
	k.take(x)
	p.x = x
	p.wake()
}

// grant has p make a thread.
func (k *keyed[K]) grant(s *keyState[K], p *keyedCall[K]) {
	p.granted = true
	s.made++
	k.slots++
	p.wake()
}

// remove removes p from the calls that wait.
func (k *keyed[K]) remove(s *keyState[K], p *keyedCall[K]) {
	s.waiting = slices.DeleteFunc(s.waiting, func(other *keyedCall[K]) bool { return other == p })
	k.update(s)
}

// withdraw gives up the wait of p, or the slot that it was granted.
func (k *keyed[K]) withdraw(s *keyState[K], p *keyedCall[K]) {
	if p.granted {
		s.made--
		k.slots--
	}
	k.remove(s, p)
	k.serve()
}

// update puts s where it belongs when its threads or calls have changed.
func (k *keyed[K]) update(s *keyState[K]) {
	if len(s.waiting) > 0 {
		for _, p := range s.waiting {
			if p.on { // and so may depend on other threads now
				p.wake()
			}
		}
		k.enqueue(s)
		return
	}
	s.node.remove()
	if len(s.threads)+s.made == 0 && k.keys[s.key] == s {
		delete(k.keys, s.key)
	}
}

// enqueue puts s, which has calls that wait, into queue.
func (k *keyed[K]) enqueue(s *keyState[K]) {
	if s.node.in != nil {
		return
	}
	before := k.queue.last
	for before != nil && before.v.waiting[0].arrival > s.waiting[0].arrival {
		before = before.before
	}
	k.queue.insert(&s.node, before)
}

// serve gives threads and slots to the calls in queue, the first first. If there are not enough,
// it ends unused threads, and sets short, so that others become unused.
func (k *keyed[K]) serve() {
	if k.closed {
		if k.slots == 0 {
			select {
			case <-k.done:
			default:
				close(k.done)
			}
		}
		return
	}
	k.short = false
	soon := k.max - k.slots + k.ending.n // slots that are free, or are about to be
	for next := k.queue.first; next != nil && !k.short; {
		s := next.v
		next = next.after
		for len(s.waiting) > 0 {
			p := s.waiting[0]
			if x := k.taker(s); x != nil {
				k.give(x, p)
			} else if k.room(s) > 0 && k.slots < k.max {
				k.grant(s, p)
				soon--
			} else {
				break
			}
			s.waiting[0] = nil
			s.waiting = s.waiting[1:]
		}
		needs := min(len(s.waiting), k.room(s))
		if needs <= 0 { // it has what it needs, or waits for its own threads
			s.node.remove()
			continue
		}
		soon = k.endUnused(soon - needs)
		k.short = soon < 0
	}
	k.endUnused(soon) // beyond the limit
	if k.queue.first != nil && k.ending.first != nil && !k.watching && !k.elsewhere(engine.Now()) {
		k.watching = true
		k.watch.Reset(slowEnd)
	}
}

// endUnused ends unused threads until soon is not negative, and returns what it is then.
func (k *keyed[K]) endUnused(soon int) int {
	for ; soon < 0 && k.unused.first != nil; soon++ {
		k.terminate(k.unused.first.v)
	}
	return soon
}

// slowEnd is for how long calls wait for a thread that is ending, before others must yield.
const slowEnd = 10 * time.Millisecond

// late is the function of watch: threads that take long to end are not about to free a slot. It
// is called without mu.
func (k *keyed[K]) late() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.watching = false
	now := engine.Now()
	for k.ending.first != nil && now-k.ending.first.v.since >= slowEnd {
		k.ending.first.remove()
	}
	k.serve()
}

// elsewhere reports whether now is the time of a bubble that k is not in, which timers must not
// be set to.
func (k *keyed[K]) elsewhere(now time.Duration) bool { return now < 0 && !k.bubbled }

// add makes a thread for s, which was granted a slot, and its first call.
func (k *keyed[K]) add(s *keyState[K], start func() error) *keyedThread[K] {
	x := &keyedThread[K]{of: k, state: s, calls: 2} // with its start
	x.node.v = x
	o := options(k.opts)
	if k.start != nil {
		o.starts = append(slices.Clone(o.starts), func() error { return k.start(s.key) })
	}
	if start != nil {
		o.starts = append(slices.Clone(o.starts), func() error {
			f := start
			start = nil // which the caller may want collected while the thread lives
			return f()
		})
	}
	if k.stopKey != nil {
		o.stops = append(slices.Clone(o.stops), func() { k.stopKey(s.key) })
	}
	x.t = wrap(o)
	e := x.t.e
	e.SetUser(x)
	e.OnEnd(func() { k.ended(x) })
	e.Post(func() { x.begin(o) })
	s.made--
	s.threads = append(s.threads, x)
	k.set.Add(e)
	k.open++
	if k.each == 1 { // those that have waited use it, too, or each would need a thread
		for _, p := range s.waiting {
			k.give(x, p)
		}
		s.waiting = nil
	}
	k.update(s)
	if same := s.key; same != s.key {
		k.leave(x)
	}
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
		x.of.unuse(x)
	}()
	err = o.start(x.t.e)
}

// fail ends a thread whose start has failed. It is called without mu.
func (k *keyed[K]) fail(x *keyedThread[K], err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	x.err = err
	k.terminate(x)
	k.serve()
}

// unuse ends a call that uses x. It is called without mu.
//
//threadcall:noalloc
func (k *keyed[K]) unuse(x *keyedThread[K]) {
	now := engine.Now()
	if k.elsewhere(now) && x.t.e.Post(func() { k.unuse(x) }) { //threadcall:alloc in a bubble
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if x.calls--; x.calls > 0 || x.terminated {
		return
	}
	if x.left {
		k.terminate(x) //threadcall:alloc the end of a thread
		k.serve()      //threadcall:alloc the end of a thread
		return
	}
	x.since = now
	k.unused.insert(&x.node, k.unused.last)
	if len(x.state.waiting) > 0 {
		k.enqueue(x.state)
	}
	if k.queue.first != nil || k.slots > k.max {
		k.serve() //threadcall:alloc the end of a thread
	}
	switch {
	case x.calls > 0 || x.terminated:
	case k.idle == 0:
		k.terminate(x) //threadcall:alloc the end of a thread
	case k.idle > 0 && !k.armed:
		k.armed = true
		k.timer.Reset(k.idle)
	}
}

// expire is the function of timer: it ends the threads that have been unused for long enough. It is
// called without mu.
func (k *keyed[K]) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = false
	for first := k.unused.first; first != nil; first = k.unused.first {
		if left := k.idle - (engine.Now() - first.v.since); left > 0 {
			k.armed = true
			k.timer.Reset(left)
			return
		}
		k.terminate(first.v)
	}
}

// leave has x take no more calls, and ends it if it has none.
func (k *keyed[K]) leave(x *keyedThread[K]) {
	if !x.left {
		x.left = true
		k.open--
	}
	if x.calls == 0 {
		k.terminate(x)
	}
}

// terminate ends x now.
func (k *keyed[K]) terminate(x *keyedThread[K]) {
	if x.terminated {
		return
	}
	x.terminated = true
	if !x.left {
		x.left = true
		k.open--
	}
	x.node.remove()
	k.ending.insert(&x.node, k.ending.last)
	x.since = engine.Now()
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
	s := x.state
	s.threads = slices.DeleteFunc(s.threads, func(other *keyedThread[K]) bool { return other == x })
	if x.forgotten {
		s.forgotten--
	}
	x.node.remove()
	k.slots--
	k.update(s)
	k.serve()
}

// maxPanics is how many panics are kept.
const maxPanics = 1024

// close is Close, but does not wait. It is called without mu.
func (k *keyed[K]) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	k.closed = true
	k.timer.Stop()
	k.watch.Stop()
	for _, s := range k.keys {
		for _, x := range s.threads {
			k.leave(x)
		}
		for _, p := range s.waiting {
			p.wake()
		}
	}
	for n := k.queue.first; n != nil; n = n.after { // with keys that are not in keys
		for _, p := range n.v.waiting {
			p.wake()
		}
	}
	k.serve()
}

// A keyedList is a list of nodes. Its zero value is empty.
type keyedList[T any] struct {
	first, last *keyedNode[T]
	n           int
}

// A keyedNode is in one list or in none.
type keyedNode[T any] struct {
	v             T
	in            *keyedList[T]
	before, after *keyedNode[T]
}

// insert puts n, which is in no list, behind the node before, or at the front if that is nil.
//
//threadcall:noalloc
func (l *keyedList[T]) insert(n, before *keyedNode[T]) {
	n.in, n.before, n.after = l, before, l.first
	if before != nil {
		n.after, before.after = before.after, n
	} else {
		l.first = n
	}
	if n.after != nil {
		n.after.before = n
	} else {
		l.last = n
	}
	l.n++
}

// remove removes n from the list that it is in, if any.
//
//threadcall:noalloc
func (n *keyedNode[T]) remove() {
	l := n.in
	if l == nil {
		return
	}
	if n.before != nil {
		n.before.after = n.after
	} else {
		l.first = n.after
	}
	if n.after != nil {
		n.after.before = n.before
	} else {
		l.last = n.before
	}
	l.n--
	n.in, n.before, n.after = nil, nil, nil
}
