package oracle

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// A place is where functions run: a thread, or a pool. What its functions note is in ordinary
// memory, because the library promises that this is enough, and so that the race detector can
// report whether it is.
//
// Where the program may end the place that promise does not reach: a function that was taken before
// the end may still run when all else is quiet. There, and only there, mu makes up for it.
type place struct {
	kind    kind
	runner                 // the thread or the pool
	thread  *thread.Thread // nil for a pool
	loop    *thread.Loop   // of an adopted thread, and of the main thread
	pool    *thread.Pool   // nil for a thread
	key     *key           // nil for both
	workers []worker       // its threads

	ending      bool        // the program may terminate it
	terminating atomic.Bool // set before Terminate
	terminated  atomic.Bool // set after it
	mu          sync.Mutex
	active      int  // functions that run
	quiet       bool // posted functions that begin now do nothing

	// of a thread made by New: 1 when its start function has run, 2 when its stop function has
	phase    atomic.Int32
	bound    func(f func()) bool // of a thread: posts f as the argument of another function
	coalesce func(o *op) bool    // a post of what runs the function of the latest operation
	runs     atomic.Int64        // of it, that have begun

	waits  bool                    // a host calls Wait, and not Serve
	panics chan *thread.PanicError // of posted functions, that have not been taken

	over  context.Context // done: the program has terminated it
	close func()          // ends over
	wake  func()          // what a host is woken by
	woken chan struct{}   // its events
	hosts context.Context // done: a host ends
	stop  func()          // ends hosts
	gone  chan struct{}   // closed: it has ended
}

// A runner is what threads and pools have in common.
type runner interface {
	Call(f func()) bool
	CallContext(ctx context.Context, f func()) error
	Go(f func()) bool
	TryGo(f func()) bool
	GoContext(ctx context.Context, f func()) error
	Terminate()
}

// A key is a thread of keyed.Threads. It takes calls alone.
type key struct {
	runner
	of     *keyed.Threads[int]
	number int
}

var errRan = errors.New("the function has run")

func (k *key) Call(f func()) bool { return k.CallContext(context.Background(), f) == nil }

func (k *key) CallContext(ctx context.Context, f func()) error {
	switch err := k.of.Call(ctx, k.number, func() error { f(); return errRan }); err {
	case errRan:
		return nil
	case nil:
		return errors.New("Threads.Call returns nil in place of what the function returned")
	default:
		return err
	}
}

// keys makes the keyed.Threads of the program. The start and stop functions of key i note its
// thread as that of place i.
func (r *run) keys() *keyed.Threads[int] {
	if r.keyed != nil {
		return r.keyed
	}
	slots := 0
	for _, k := range r.p.places {
		if k == byKey {
			slots++
		}
	}
	idle := [...]time.Duration{1, 100 * time.Microsecond, time.Minute}[len(r.p.scripts)%3]
	note := func(i int, before, after uint64) {
		w := &r.places[i].workers[0]
		r.must(nil, w.id.CompareAndSwap(before, after),
			"place %d: its thread becomes %d, it was %d, want %d", i, after, w.id.Load(), before)
	}
	r.keyed = keyed.New(func(i int) error { note(i, 0, ident.Thread()+1); return nil },
		keyed.WithStop(func(i int) { note(i, ident.Thread()+1, 0) }),
		keyed.WithMaxThreads((slots+1)/2), keyed.WithIdleTimeout(idle))
	return r.keyed
}

// A worker is what one thread of the operating system notes.
type worker struct {
	// the thread's, plus one; zero until a function has run there, or while a key has none
	id         atomic.Uint64
	issuer     issuer          // of the calls made here
	began      []*op           // functions, in the order they began
	threw      []*op           // posted functions that panicked, in the order they did
	exits      map[uintptr]int // by goroutine: how many functions called Goexit
	coroutines int             // how many are under way
	closed     bool            // a function that ran here has terminated the place
}

// An issuer counts what is made on a thread, or elsewhere in an activation.
type issuer struct{ made int }

// mainExits is how many Goexits the main thread may still see, each of which leaves a kilobyte on
// its stack and what that refers to.
var mainExits atomic.Int64

func init() { mainExits.Store(1000) }

// newPlace makes place i.
func newPlace(r *run, i int) *place {
	k := r.p.places[i]
	p := &place{kind: k, ending: r.model.ending[i], workers: make([]worker, k.size()),
		panics: make(chan *thread.PanicError, 10_000)}
	p.over, p.close = context.WithCancel(context.Background())
	if k == main && r.model.mayExit[i] && mainExits.Load() <= 0 {
		k = own
	}
	keep := func(e *thread.PanicError) { p.panics <- e }
	opts := []thread.Option{thread.WithPanicHandler(keep)}
	if i%2 == 1 && k < main { // what is measured takes another path in the engine
		opts = append(opts, thread.WithTimes())
	}
	switch k {
	case own:
		var err error
		p.thread, err = thread.Start(append(opts,
			thread.WithStart(func() error { p.phase.Store(1); return nil }),
			thread.WithStop(func() { p.phase.Store(2) }))...)
		r.must(nil, err == nil, "place %d: Start returned %v", i, err)
	case limited:
		p.thread = thread.New(append(opts, thread.WithQueueLimit(2))...)
	case pool1, pool2, pool3:
		p.pool = thread.NewPool(k.size(), opts...)
	case main:
		p.thread, p.loop = mainthread.Thread(), mainthread.Loop()
		p.thread.OnPanic(keep)
	case byKey:
		p.key = &key{of: r.keys(), number: i}
	case hosted, serving:
		p.hosts, p.stop = context.WithCancel(context.Background())
		p.gone = make(chan struct{})
		p.waits = i%2 == 0
		adopted := make(chan struct{})
		go p.host(r, k, adopted, opts)
		<-adopted
	}
	switch {
	case k.pool():
		p.runner = p.pool
	case k == byKey:
		p.runner = p.key
	default:
		p.runner = p.thread
		p.bound = thread.BindGo1(p.thread, func(f func()) { f() })
		p.coalesce = thread.Coalesce1(p.thread, func(o *op) {
			p.runs.Add(1)
			r.must(o, o.on == i, "it ran at place %d", i)
			r.function(o, spot{here: i})()
		})
	}
	return p
}

// host is the goroutine of an adopted thread.
func (p *place) host(r *run, k kind, adopted chan<- struct{}, opts []thread.Option) {
	defer close(p.gone)
	runtime.LockOSThread() // as a program does that has an event loop
	p.loop = thread.Adopt(opts...)
	p.thread = p.loop.Thread()
	defer func() {
		r.must(nil, !p.thread.On(), "On is true although the host's thread has been terminated")
		p.loop.Close()
		r.must(nil, ident.Locked(), "Close has undone the host's own lock")
		runtime.UnlockOSThread()
		r.must(nil, !ident.Locked(), "the host's goroutine is still locked to its thread after Close")
	}()
	p.workers[0].id.Store(ident.Thread() + 1)
	if k == serving {
		p.wake = func() {}
		close(adopted)
		_ = p.loop.ServeContext(p.hosts)
		return
	}
	p.woken = make(chan struct{}, 1)
	p.wake = func() {
		select {
		case p.woken <- struct{}{}:
		default:
		}
	}
	p.loop.OnWake(p.wake)
	close(adopted)
	p.run()
}

// run is an event loop. A Goexit in a function that Serve runs ends the goroutine, so it goes on
// in a deferred call.
func (p *place) run() {
	ended := false
	defer func() {
		if !ended {
			p.run()
		}
	}()
	p.pump(&ended, func() {
		select {
		case <-p.woken:
		case <-p.hosts.Done():
			ended = true
		}
	})
}

// pump serves the thread of a host, by Wait or by Serve, until *over.
func (p *place) pump(over *bool, block func()) {
	for !*over {
		if p.waits && p.loop.Wait(block) {
			continue
		}
		if p.loop.Serve(0); !*over {
			block()
		}
	}
}

// poll takes an event, as a function does that lets a host draw itself anew.
func (p *place) poll() {
	select {
	case <-p.woken:
	default:
	}
}

// dialog is an event loop inside a function. It is false if the thread is terminated before the
// dialog has been closed.
func (p *place) dialog() bool {
	closed, over := false, false
	if !p.thread.Go(func() { closed, over = true, true }) {
		return false
	}
	p.pump(&over, func() {
		select {
		case <-p.woken:
		case <-p.over.Done():
			over = true
		}
	})
	return closed
}

// worker returns that of the thread that the caller is on, or nil if all are known and none is it.
func (p *place) worker() *worker {
	id := ident.Thread() + 1
	for i := range p.workers {
		w := &p.workers[i]
		if w.id.Load() == id || p.key == nil && w.id.CompareAndSwap(0, id) {
			return w
		}
	}
	return nil
}

// exit notes a Goexit on goroutine g.
func (w *worker) exit(g uintptr) {
	if w.exits == nil {
		w.exits = map[uintptr]int{}
	}
	w.exits[g]++
}

// enter lets a function begin, unless nothing waits for it and it is too late.
func (p *place) enter(posted bool) bool {
	if !p.ending {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet && posted {
		return false
	}
	p.active++
	return true
}

func (p *place) leave() {
	if p.ending {
		p.mu.Lock()
		p.active--
		p.mu.Unlock()
	}
}

// finish waits until no function runs on a place that has been terminated, and keeps those from
// beginning that nothing waits for.
func (p *place) finish() {
	for {
		p.mu.Lock()
		p.quiet = p.active == 0
		quiet := p.quiet
		p.mu.Unlock()
		if quiet {
			return
		}
		time.Sleep(50 * time.Microsecond)
	}
}

func nop() {}

// flush returns when all that was queued has run. It is false if the place has been terminated.
func (p *place) flush() bool {
	if p.key != nil {
		return true
	}
	if p.pool == nil {
		return p.Call(nop)
	}
	// When all threads are here at once, what was given to the pool before has ended.
	var here, callers testutil.Group
	var ran atomic.Int32
	here.Add(len(p.workers))
	for range p.workers {
		callers.Go(func() {
			if p.pool.Call(func() { here.Done(); here.Wait(); ran.Add(1) }) {
				return
			}
			here.Done()
		})
	}
	callers.Wait()
	return int(ran.Load()) == len(p.workers)
}

// end terminates the place and says what it answers after that, which should be false.
func (p *place) end() (answered bool) {
	if p.thread == mainthread.Thread() {
		return false
	}
	if p.key != nil {
		if p.key.of.Close(); p.workers[0].id.Load() != 0 {
			p.phase.Store(-1)
		}
		return p.Call(nop)
	}
	p.Terminate()
	answered = p.Call(nop) || p.Go(nop)
	p.Terminate()
	if p.kind == own {
		if <-p.thread.Done(); p.phase.Load() != 2 {
			p.phase.Store(-1)
		}
	}
	if p.stop != nil {
		p.stop()
		<-p.gone
	}
	return answered
}
