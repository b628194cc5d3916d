package keyed

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/thread"
)

// A set is Threads without the handle, which the threads must not refer to. It has as many slots as
// WithMaxThreads says, and each thread takes one. The states of a thread, which mu guards, but for
// the change between used and unused, see use:
//
//	state      the thread                         a call for its key              next state
//	starting   runs its start functions, which    uses it, behind them            used; or ending, if
//	           count as a call                                                    they fail
//	used       has calls                          uses it; waits while short      unused, when they
//	                                              is set, as then it must yield   have returned
//	unused     has none                           uses it                         used; ending
//	forgotten  has calls, and takes no more       waits for its end               ending, when they
//	                                                                              have returned
//	ending     terminated is set: runs its stop   waits for its end               ended, by itself
//	           functions
//	ended      does not exist                     takes a slot, or waits for one  starting
//
// With several threads a key, a call does not use a thread that is starting or used, but another
// one. In every state a call that is made on the thread itself runs in place. One that is made on
// a thread that this one waits for cannot wait: it uses a thread that is starting, used or
// forgotten, and is refused by one that is ending.
type set[K comparable] struct {
	config
	start   func(K) error // or nil
	stop    func(K)       // or nil
	bubble  uint64        // of testing/synctest, in which it was made, or zero
	recent  recent[K]
	attends atomic.Bool  // see use
	evicts  atomic.Int64 // how many threads evict has ended; changed with mu
	turns   atomic.Int64 // in a bubble, how often a thread has become unused

	mu       sync.Mutex
	all      []*worker[K] // that have not ended: each has a slot
	keys     map[K]*keyState[K]
	queue    list.List[*keyState[K]] // with calls that may need a slot; the first came first
	ending   list.List[*worker[K]]   // about to free a slot; the first was terminated first
	waiting  int                     // calls that wait for a thread
	evicted  []K                     // keys whose threads have ended for others, see evict
	short    bool                    // a call in queue needs a slot that no thread is about to free
	arrivals uint64                  // of calls in queue
	timer    *time.Timer             // calls tick
	tickAt   time.Duration           // when it does, or zero
	stats    Stats                   // only what is counted
	closed   bool
	over     bool          // closed, and no thread is left
	done     chan struct{} // closed then
}

// A keyState has the threads of a key, and the calls that wait for one. It is in keys as long as
// it has any, except for a key that is not equal to itself.
type keyState[K comparable] struct {
	key     K
	threads []*worker[K] // that have not ended
	waiting []*call[K]   // the first came first
	node    list.Node[*keyState[K]]
}

// A call is a call that waits for a thread.
type call[K comparable] struct {
	of      *set[K]
	state   *keyState[K]
	arrival uint64
	start   func() error   // of a thread that is made for it; or nil
	x       *worker[K]     // that counts this call
	made    bool           // x was made for it
	by      *engine.Engine // the thread on which it is made, or nil
	changed *park.Token
}

// Key returns the key of the thread, for package recorderhttp.
func (x *worker[K]) Key() any { return x.state.key }

// A worker is one of the threads. mu guards its fields, but for use.
type worker[K comparable] struct {
	of    *set[K]
	state *keyState[K]
	t     *thread.Thread
	e     *engine.Engine // its
	use
	users      []*engine.Engine // the threads on which some of its calls were made
	forgotten  bool             // it takes no more calls, and must end before its key has another
	terminated bool
	endsSince  time.Duration         // if it does
	returned   bool                  // its key was among evicted
	err        error                 // of its start
	node       list.Node[*worker[K]] // in ending
}

// run has f run on x, which counts the call. by is as in take. failed says that it did not because
// x has not started.
//
//threadcall:noalloc
func (k *set[K]) run(ctx context.Context, x *worker[K], by *engine.Engine, f func() error) (
	_ error, failed bool) {
	defer k.unuse(x, by)
	result, err := thread.EvalContext(ctx, x.t, f)
	if err == nil {
		return result, false
	}
	if err == thread.ErrTerminated {
		k.mu.Lock()
		defer k.mu.Unlock()
		if x.err != nil {
			return x.err, true
		}
	}
	return err, false
}

// find returns a thread for key, which counts one more call, or nil if the call must wait for one.
//
//threadcall:noalloc
func (k *set[K]) find(key K, by *engine.Engine) *worker[K] {
	if by == nil && !k.attends.Load() {
		if x := k.recent.find(key); x != nil && x.take() {
			return x
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock() // also if K is an interface, and the key's type cannot be hashed
	s := k.keys[key]
	if s == nil || k.short {
		return nil
	}
	x := k.taker(s)
	if x != nil {
		k.take(x, by)
		k.found(x)
	}
	return x
}

// wait is find where the call must wait for a thread or have one made; made says that it had. The
// error is context.Canceled if the context is done: the caller asks that for the cause without mu,
// because a context of another package may panic.
func (k *set[K]) wait(ctx context.Context, key K, by *engine.Engine, start func() error) (
	x *worker[K], made bool, err error) {
	if k.elsewhere() {
		panic("keyed: Threads that were made outside a bubble of testing/synctest are to make a thread " +
			"inside, or wait for one; make the Threads inside")
	}
	p := &call[K]{of: k, start: start, changed: park.NewToken(false), by: by}
	cancel := ctx.Done()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting++
	defer func() { k.waiting-- }()
	k.attends.Store(true)
	s := k.keys[key]
	if s == nil {
		s = &keyState[K]{key: key}
		s.node.Value = s
		if same := key; same == key { // or nothing would find it
			k.keys[key] = s
		}
	}
	k.arrivals++
	p.state, p.arrival = s, k.arrivals
	s.waiting = append(s.waiting, p)
	k.enqueue(s)
	k.serve()
	waited := false
	for {
		switch {
		case p.x != nil:
			return p.x, p.made, nil
		case err == nil && k.closed:
			err = thread.ErrTerminated
		}
		if err != nil {
			k.remove(s, p)
			return nil, false, err
		}
		if !waited {
			waited = true
			k.stats.WaitCount++
			since := clock.Now()
			defer func() { k.stats.WaitDuration += clock.Now() - since }() // before mu is unlocked
		}
		k.mu.Unlock()
		y := engine.Wait(p, p.changed.C(), cancel)
		k.mu.Lock()
		select {
		case <-cancel:
			err = context.Canceled
		default:
			if y != nil && p.x == nil && !k.closed {
				err = k.escape(s, p, y)
			}
		}
	}
}

// Workers returns the threads of which one must go on, so that p need not wait: those of its key,
// or all if it is a slot that is missing, see needs. It is called without mu, by each thread that
// looks whether it is in a cycle.
func (p *call[K]) Workers() []*engine.Engine {
	k, s := p.of, p.state
	k.mu.Lock()
	defer k.mu.Unlock()
	slot := k.room(s) > 0 || k.taker(s) != nil
	return k.needs(func(x *worker[K]) bool { return slot || x.state == s })
}

// Workers returns the threads that must go on before all have ended. It is called without mu.
func (k *set[K]) Workers() []*engine.Engine {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.needs(func(*worker[K]) bool { return true })
}

// needs returns those threads of k that are wanted, and the threads on which their calls were made.
// Such a call may have run and not have returned yet, because its caller runs other functions while
// it waits. But a thread whose start has failed ends without them.
func (k *set[K]) needs(wanted func(*worker[K]) bool) (all []*engine.Engine) {
	for _, x := range k.all {
		if !wanted(x) {
			continue
		}
		if all = append(all, x.e); !x.terminated {
			all = append(all, x.users...)
		}
	}
	return all
}

// escape ends the wait of p for s, which could be a deadlock: y waits for it, or holds what it
// waits for. A thread of the key must run the call if it is y, and otherwise may; or else the call
// gets one beyond the limit, or uses one that should take no more calls. The caller holds mu, as in
// all functions that follow.
func (k *set[K]) escape(s *keyState[K], p *call[K], y *engine.Engine) error {
	x := k.taker(s)
	for _, other := range s.threads {
		if x == nil && k.room(s) <= 0 && !other.terminated {
			x = other
		}
	}
	for _, other := range s.threads {
		if other.e == y {
			x = other
		}
	}
	switch {
	case x != nil && !x.terminated:
		k.give(x, p)
	case k.room(s) > 0:
		k.add(s, p)
	case x != nil:
		return thread.ErrTerminated
	default:
		return nil // something has changed meanwhile
	}
	k.remove(s, p)
	return nil
}

// taker returns a thread of s that a call may use, or nil.
//
//threadcall:noalloc
func (k *set[K]) taker(s *keyState[K]) *worker[K] {
	for _, x := range s.threads {
		if n := x.calls.Load(); n&shut == 0 && (n == 0 || k.each == 1) {
			return x
		}
	}
	return nil
}

// room returns how many more threads s may have.
func (k *set[K]) room(s *keyState[K]) int {
	forgotten := func(x *worker[K]) bool { return x.forgotten }
	if slices.ContainsFunc(s.threads, forgotten) {
		return 0
	}
	return k.each - len(s.threads)
}

// found has later calls find x without mu, unless it might have one call and take no more.
//
//threadcall:noalloc
func (k *set[K]) found(x *worker[K]) {
	if k.each == 1 {
		k.recent.add(x, k.all)
	}
}

// take has x count one more call, which is made on the thread by, or on none if that is nil.
//
//threadcall:noalloc
func (k *set[K]) take(x *worker[K], by *engine.Engine) {
	x.calls.Add(1)
	if by != nil {
		x.users = append(x.users, by) //threadcall:alloc when more threads use it than before
	}
}

// give has p use x.
func (k *set[K]) give(x *worker[K], p *call[K]) {
	k.take(x, p.by)
	p.x = x
	p.changed.Wake()
}

// remove removes p from the calls that wait, and serves the others.
func (k *set[K]) remove(s *keyState[K], p *call[K]) {
	s.waiting = slices.DeleteFunc(s.waiting, func(other *call[K]) bool { return other == p })
	k.update(s)
	k.serve()
}

// update puts s where it belongs when its threads or calls have changed.
func (k *set[K]) update(s *keyState[K]) {
	if len(s.waiting) > 0 {
		for _, p := range s.waiting {
			if p.by != nil { // and so may depend on other threads now
				p.changed.Wake()
			}
		}
		k.enqueue(s)
		return
	}
	s.node.Remove()
	if len(s.threads) == 0 && k.keys[s.key] == s {
		delete(k.keys, s.key)
	}
}

// enqueue puts s, which has calls that wait, into queue.
func (k *set[K]) enqueue(s *keyState[K]) {
	if s.node.Listed() {
		return
	}
	before := k.queue.Last
	for before != nil && before.Value.waiting[0].arrival > s.waiting[0].arrival {
		before = before.Before
	}
	k.queue.Insert(&s.node, before)
}

// serve gives threads to the calls in queue, the first first, and makes them. If there are not
// enough slots, it ends unused threads, and sets short, so that others become unused.
func (k *set[K]) serve() {
	if k.closed {
		if len(k.all) == 0 && !k.over {
			k.over = true
			close(k.done)
			// or a timer that was stopped, which Go may keep, would keep what these refer to: the handle
			k.start, k.stop, k.config.stop, k.opts = nil, nil, nil, nil
		}
		return
	}
	if k.elsewhere() {
		return // what it made would be the bubble's; the thread that is to end calls serve again
	}
	k.short = false
	soon := k.max - len(k.all) + k.ending.Len // slots that are free, or are about to be
	for next := k.queue.First; next != nil && !k.short; {
		s := next.Value
		next = next.After
		for len(s.waiting) > 0 {
			p := s.waiting[0]
			if x := k.taker(s); x != nil {
				k.give(x, p)
			} else if k.room(s) > 0 && len(k.all) < k.max {
				k.add(s, p)
				soon--
			} else {
				break
			}
			s.waiting[0] = nil
			s.waiting = s.waiting[1:]
		}
		needs := min(len(s.waiting), k.room(s))
		if needs <= 0 { // it has what it needs, or waits for its own threads
			s.node.Remove()
			continue
		}
		soon = k.endUnused(soon - needs)
		k.short = soon < 0
	}
	k.endUnused(soon) // beyond the limit
	if k.queue.First != nil && k.ending.First != nil {
		k.tickBy(clock.Now() + slowEnd)
	}
}

// endUnused ends unused threads until soon is not negative, and returns what it is then.
func (k *set[K]) endUnused(soon int) int {
	for soon < 0 && k.evict() {
		soon++
	}
	return soon
}

// evict ends an unused thread for another key, if there is one: the one that was unused for longest
// of those that are not kept, and if there is none, of all. A thread is kept if its key has
// returned, and has been used since evict ended the last 4*max threads. A key has returned if its
// thread was made again before evict ended max threads of other keys that had not returned. So keys
// that are used once, in whatever number, end each other's threads, and not those of the keys that
// are used again and again. This is the algorithm 2Q, without a least number of threads for new
// keys, and with an end for those kept: otherwise keys of some time ago would leave no room for
// those of now.
func (k *set[K]) evict() bool {
	x := k.longestUnused(func(y *worker[K]) bool {
		return !y.returned || (k.evicts.Load()-y.evicts.Load())/4 > int64(k.max)
	})
	if x == nil {
		x = k.longestUnused(func(*worker[K]) bool { return true })
	}
	if x == nil {
		return false
	}
	if key, same := x.state.key, x.state.key; !x.returned && same == key {
		if len(k.evicted) >= min(k.max, maxEvicted) {
			k.evicted = slices.Delete(k.evicted, 0, 1)
		}
		k.evicted = append(k.evicted, key)
	}
	k.evicts.Add(1)
	k.terminate(x)
	return true
}

// longestUnused shuts the thread that was unused for longest of those that are to end, and returns
// it, or nil.
func (k *set[K]) longestUnused(ends func(*worker[K]) bool) *worker[K] {
	for {
		var first *worker[K]
		for _, x := range k.all {
			if x.calls.Load() == 0 && ends(x) && (first == nil || x.before(&first.use)) {
				first = x
			}
		}
		if first == nil || first.calls.CompareAndSwap(0, shut) {
			return first
		} // else a call has come
	}
}

// maxEvicted is how many keys evict remembers at most; add searches them.
const maxEvicted = 1000

// slowEnd is for how long calls wait for a thread that is ending, before others must yield.
const slowEnd = 10 * time.Millisecond

// tickBy has tick called at some time, or before.
//
//threadcall:noalloc
func (k *set[K]) tickBy(at time.Duration) {
	if k.tickAt == 0 || at < k.tickAt {
		k.tickAt = at
		k.timer.Reset(at - clock.Now())
	}
}

// tick is the function of timer: it ends the threads that have been unused for long enough, and if
// calls wait, those that take long to end are no longer about to free a slot. It is called without
// mu.
func (k *set[K]) tick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.attends.Store(true) // before it looks which are unused
	k.tickAt = 0
	now := clock.Now()
	if k.idle > 0 {
		k.endIdle(now)
	}
	for x := k.ending.First; x != nil && k.queue.First != nil; x = k.ending.First {
		if now-x.Value.endsSince < slowEnd {
			break
		}
		x.Remove()
	}
	k.serve()
	k.attend()
}

// endIdle ends the threads that have been unused for long enough, and has tick called for the next.
func (k *set[K]) endIdle(now time.Duration) {
	next := time.Duration(math.MaxInt64)
	for _, x := range k.all {
		if !x.calls.CompareAndSwap(0, shut) {
			continue // used, or ending
		}
		if end := time.Duration(x.since.Load()) + k.idle; end > now {
			x.calls.Store(0) // calls that have come meanwhile wait for mu
			next = min(next, end)
			continue
		}
		k.stats.IdleEnded++
		k.terminate(x)
	}
	if next < math.MaxInt64 {
		k.tickBy(next)
	}
}

// attend finds out whether what becomes unused must be reported.
//
//threadcall:noalloc
func (k *set[K]) attend() {
	unset := k.idle > 0 && k.tickAt == 0
	k.attends.Store(k.waiting > 0 || len(k.all) > k.max || unset)
}

// elsewhere reports whether k was made outside of all bubbles, and the caller is in one. A thread
// that is made there is the bubble's, and a timer is set to the bubble's clock.
//
//threadcall:noalloc
func (k *set[K]) elsewhere() bool { return k.bubble == 0 && clock.InBubble() }

// reachable reports whether the caller is where k was made, or k outside. It panics if the caller
// is elsewhere and k has not been closed. It is called without mu.
func (k *set[K]) reachable() bool {
	if k.bubble == 0 || k.bubble == clock.Bubble() {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		panic("keyed: Threads that were made in a bubble of testing/synctest are used from outside it; " +
			"make them outside, or close them in the bubble")
	}
	return false
}

// add makes a thread for s and its first call, p.
func (k *set[K]) add(s *keyState[K], p *call[K]) {
	x := &worker[K]{of: k, state: s}
	x.calls.Store(1) // its start
	x.node.Value = x
	if i := slices.Index(k.evicted, s.key); i >= 0 {
		k.evicted, x.returned = slices.Delete(k.evicted, i, i+1), true
	}
	opts := slices.Clone(k.opts)
	if k.start != nil {
		opts = append(opts, thread.WithStart(func() error { return k.start(s.key) }))
	}
	if k.stop != nil {
		opts = append(opts, thread.WithStop(func() { k.stop(s.key) }))
	}
	opts = append(opts, thread.WithStart(p.start))
	t, e, prepare := access.New(opts, x, func() { k.ended(x) })
	x.t, x.e = t.(*thread.Thread), e
	e.Post(func() { x.begin(prepare) })
	s.threads = append(s.threads, x)
	k.all = append(k.all, x)
	k.found(x)
	k.give(x, p)
	p.made = true
	k.update(s)
	if same := s.key; same != s.key {
		k.leave(x)
	}
	e.Start()
}

var errStartExited = errors.New("keyed: a start function has called runtime.Goexit")

// begin prepares the thread, on which it runs, or ends it. It is called without mu.
func (x *worker[K]) begin(prepare func() error) {
	err, k := errStartExited, x.of
	defer func() {
		if err != nil {
			k.mu.Lock()
			x.err = err
			k.terminate(x)
			k.serve()
			k.mu.Unlock()
		}
		k.unuse(x, nil)
	}()
	err = prepare()
}

// unuse ends a call that uses x. It is called without mu, and takes it if a call was made on a
// thread, or if mu may be needed.
//
//threadcall:noalloc
func (k *set[K]) unuse(x *worker[K], by *engine.Engine) {
	if by == nil && x.leaves() {
		return
	}
	now, outside := clock.Outside()
	if !outside && k.bubble == 0 &&
		x.e.Post(func() { k.unuse(x, by) }) { //threadcall:alloc in a bubble
		return
	}
	x.note(now, k.evicts.Load())
	if !outside {
		x.turn.Store(k.turns.Add(1))
	}
	left := by == nil && x.calls.CompareAndSwap(1, 0)
	if left && !k.attends.Load() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(x.users, by); i >= 0 {
		x.users = slices.Delete(x.users, i, i+1)
	}
	if !left {
		x.calls.Add(-1)
	}
	if x.calls.Load()&^shut > 0 || x.terminated {
		return
	}
	if x.forgotten {
		k.terminate(x) //threadcall:alloc the end of a thread
		k.serve()      //threadcall:alloc the end of a thread
		return
	}
	k.update(x.state)
	if k.queue.First != nil || len(k.all) > k.max {
		k.serve() //threadcall:alloc the end of a thread
	}
	if k.idle > 0 {
		k.tickBy(now + k.idle)
	}
	k.attend()
}

// leave has x take no more calls, and ends it if it has none.
func (k *set[K]) leave(x *worker[K]) {
	x.forgotten = true
	if x.calls.Or(shut) == 0 {
		k.terminate(x)
	}
}

// terminate ends x now.
func (k *set[K]) terminate(x *worker[K]) {
	if x.terminated {
		return
	}
	x.terminated = true
	x.calls.Or(shut)
	k.recent.remove(x)
	k.ending.Append(&x.node)
	if !k.elsewhere() {
		x.endsSince = clock.Now()
	}
	x.e.Terminate()
}

// ended is called last on the thread of x. It is called without mu.
func (k *set[K]) ended(x *worker[K]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, isX := x.state, func(other *worker[K]) bool { return other == x }
	s.threads, k.all = slices.DeleteFunc(s.threads, isX), slices.DeleteFunc(k.all, isX)
	x.node.Remove()
	k.update(s)
	k.serve()
}

// close is Close, but does not wait. It is called without mu.
func (k *set[K]) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	k.closed = true
	k.timer.Stop()
	for _, s := range k.keys {
		for _, x := range s.threads {
			k.leave(x)
		}
		for _, p := range s.waiting {
			p.changed.Wake()
		}
	}
	for n := k.queue.First; n != nil; n = n.After { // with keys that are not in keys
		for _, p := range n.Value.waiting {
			p.changed.Wake()
		}
	}
	k.serve()
}
