package engine

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/freelist"
	"github.com/threadcall/threadcall/internal/park"
)

// A watch tells of functions that run for longer than they should, on one thread or on those of a pool.
//
// Whoever queues a function while somebody watches queues a visit instead, which knows where it was queued, reports
// to the watch and runs the function. So the thread need not know, and pays nothing while nobody watches.
//
// While functions run there is one timer, due when the oldest that has not been told of will have run for too long.
// A function that returns in time leaves it alone: when it fires it looks again. So a call costs the timer nothing,
// and threads without calls have no timer.
type watch struct {
	on    []*Engine
	limit time.Duration
	tell  func(Slow)
	spare freelist.List[visit]

	// mu is held while a stack is taken, so that a function that would return meanwhile waits, and the stack is its.
	mu      sync.Mutex
	ended   bool
	running []*visit // those that began first come first
	timer   *time.Timer
	set     bool // the timer is, or its function has not got mu yet
}

// A visit is a function on its way to a thread that is watched.
type visit struct {
	w     *watch
	fn    func()
	run   func()      // v.call, made once
	from  [32]uintptr // where it was queued, as from runtime.Callers
	depth int         // of from
	on    int         // the thread that it runs on, as an index of watch.on
	since time.Duration
	told  bool
}

// Slow is a function that has run for longer than it should, and still runs.
type Slow struct {
	Thread  int // in a pool
	TID     uint64
	Running time.Duration
	Stack   []byte    // of the thread, as runtime.Stack writes it
	From    []uintptr // of the goroutine that queued the function
}

// Watch has tell called, once for each, about functions that run for longer than limit, of those that are queued from
// now on. Nil ends that.
func (e *Engine) Watch(limit time.Duration, tell func(Slow)) { replace(&e.watch, limit, tell, e) }

// Watch is Engine.Watch for all threads of the pool.
func (p *Pool) Watch(limit time.Duration, tell func(Slow)) {
	replace(&p.watch, limit, tell, p.workers...)
}

func replace(old *atomic.Pointer[watch], limit time.Duration, tell func(Slow), on ...*Engine) {
	var w *watch
	if tell != nil {
		w = &watch{on: on, limit: limit, tell: tell}
		w.timer = time.AfterFunc(time.Hour, w.look)
		w.timer.Stop()
	}
	if before := old.Swap(w); before != nil {
		before.mu.Lock()
		before.ended = true
		before.mu.Unlock()
	}
}

// wrap returns what is to be queued in place of fn.
func (w *watch) wrap(fn func()) func() {
	v := w.spare.Get()
	if v == nil {
		v = &visit{w: w}
		v.run = v.call
	}
	v.fn = fn
	v.depth = runtime.Callers(3, v.from[:]) // without Callers, wrap and the engine's function
	return v.run
}

func (v *visit) call() {
	v.w.begin(v)
	defer v.w.end(v) // also if fn panics or calls Goexit
	v.fn()
}

func (w *watch) begin(v *visit) {
	v.on = 0
	if len(w.on) > 1 {
		if v.on = slices.IndexFunc(w.on, (*Engine).OnGoroutine); v.on < 0 {
			v.on = max(0, slices.IndexFunc(w.on, (*Engine).On)) // in a coroutine
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	v.told = false
	v.since = park.Now()
	w.running = append(w.running, v)
	if !w.set {
		w.set = true
		w.timer.Reset(w.limit)
	}
}

func (w *watch) end(v *visit) {
	w.mu.Lock()
	i := slices.Index(w.running, v)
	w.running = slices.Delete(w.running, i, i+1)
	w.mu.Unlock()
	v.fn = nil
	w.spare.Put(v)
}

// look is the timer's function.
func (w *watch) look() {
	for _, slow := range w.find() {
		w.tell(slow)
	}
}

func (w *watch) find() (found []Slow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set = false
	if w.ended {
		return nil
	}
	for _, v := range w.running {
		if v.told {
			continue
		}
		now := park.Now()
		if left := w.limit - (now - v.since); left > 0 { // and the others began later
			w.set = true
			w.timer.Reset(left)
			break
		}
		v.told = true
		on := w.on[v.on]
		from := slices.Clone(v.from[:v.depth])
		found = append(found, Slow{v.on, on.tid.Load(), now - v.since, stackOf(on.goid.Load()), from})
	}
	return found
}

// maxStacks is how much of the stacks of all goroutines is searched for one.
const maxStacks = 64 << 20

// stackOf returns the stack of the goroutine with the number id.
func stackOf(id uint64) []byte {
	header := []byte("goroutine " + strconv.FormatUint(id, 10) + " ")
	for size := 64 << 10; ; size *= 4 {
		all := make([]byte, size)
		all = all[:runtime.Stack(all, true)]
		complete := len(all) < size
		for rest := all; len(rest) > 0; {
			one, others, more := bytes.Cut(rest, []byte("\n\n"))
			if bytes.HasPrefix(one, header) && (more || complete) {
				return bytes.Clone(bytes.TrimSpace(one))
			}
			rest = others
		}
		if complete || size >= maxStacks {
			return nil
		}
	}
}

// goid returns the number of the calling goroutine, which the runtime tells in its stack traces only.
func goid() uint64 {
	var b [64]byte
	number, _, _ := bytes.Cut(bytes.TrimPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine ")), []byte(" "))
	id, _ := strconv.ParseUint(string(number), 10, 64)
	return id
}
