package engine

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/freelist"
	"github.com/threadcall/threadcall/internal/park"
)

// A watch reports functions that run for longer than they should, on one thread or on those of a pool.
//
// A goroutine that queues a function for a watched thread queues a visit instead, which knows where it was queued, reports
// to the watch and runs the function. So the thread need not know, and pays nothing while it is not watched.
//
// While functions run there is one timer, due when the oldest that has not been reported will have run for too long.
// A function that returns in time leaves it alone: when it fires it looks again. So a call costs the timer nothing,
// and threads without calls have no timer. The thread makes the timer, and not the goroutine that asked for reports: that
// may be in a bubble of testing/synctest, to which the timer would belong.
//
// The function that is notified may refer to the thread's handle. The watch, which the thread refers to, therefore refers to
// it weakly, and so that it is notified of what is queued when the handle is dropped, each visit refers to it as well.
type watch struct {
	limit  time.Duration
	notify weak.Pointer[func(Slow)]
	spare  freelist.List[visit]

	// mu is held while a stack is taken, so that a function that would return meanwhile waits, and the stack is its.
	mu      sync.Mutex
	ended   bool
	running []*visit // those that began first come first
	timer   *time.Timer
	set     bool // the timer is, or its function has not got mu yet
}

// A visit is a function on its way to a thread that is watched.
type visit struct {
	w        *watch
	notify   *func(Slow)
	fn       func()
	run      func()      // v.call, made once
	from     [32]uintptr // where it was queued, as from runtime.Callers
	depth    int         // of from
	on       *Engine     // the thread that it runs on
	goid     uint64      // the number of the goroutine that it runs in
	since    time.Duration
	notified bool
}

// Slow is a function that has run for longer than it should, and still runs.
type Slow struct {
	Thread  int // in a pool
	TID     uint64
	Running time.Duration
	Stack   []byte    // of the thread, as runtime.Stack writes it
	From    []uintptr // of the goroutine that queued the function
}

func newWatch(limit time.Duration, notify *func(Slow)) *watch {
	return &watch{limit: limit, notify: weak.Make(notify)}
}

// end keeps the watch from telling of anything more.
func (w *watch) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
}

// wrap returns what is to be queued in place of fn.
func (w *watch) wrap(fn func()) func() {
	notify := w.notify.Value()
	if notify == nil {
		return fn
	}
	v := w.spare.Get()
	if v == nil {
		v = &visit{w: w} //threadcall:alloc when more watched calls are under way than ever
		v.run = v.call   //threadcall:alloc and with it
	}
	v.notify, v.fn = notify, fn
	v.depth = runtime.Callers(3, v.from[:]) // without Callers, wrap and the engine's function
	return v.run
}

func (v *visit) call() {
	v.w.begins(v)
	defer v.w.ends(v) // also if fn panics or calls Goexit
	v.fn()
}

func (w *watch) begins(v *visit) {
	if v.on = threads.current(); v.on != nil {
		v.goid = v.on.number()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	v.notified = false
	v.since = park.Now()
	w.running = append(w.running, v)
	if !w.set && !w.ended {
		w.set = true
		if w.timer == nil {
			w.timer = time.AfterFunc(w.limit, w.look)
		} else {
			w.timer.Reset(w.limit)
		}
	}
}

func (w *watch) ends(v *visit) {
	w.mu.Lock()
	i := slices.Index(w.running, v)
	w.running = slices.Delete(w.running, i, i+1)
	w.mu.Unlock()
	v.notify, v.fn, v.on = nil, nil, nil
	w.spare.Put(v)
}

// look is the timer's function.
func (w *watch) look() {
	for _, slow := range w.find() {
		slow.notify(slow.Slow)
	}
}

type report struct {
	Slow
	notify func(Slow)
}

func (w *watch) find() (found []report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set = false
	if w.ended {
		return nil
	}
	for _, v := range w.running {
		if v.notified {
			continue
		}
		now := park.Now()
		if left := w.limit - (now - v.since); left > 0 { // and the others began later
			w.set = true
			w.timer.Reset(left)
			break
		}
		v.notified = true
		slow := Slow{Running: now - v.since, From: slices.Clone(v.from[:v.depth])}
		if e := v.on; e != nil {
			slow.Thread, slow.TID, slow.Stack = e.index, e.tid.Load(), stackOf(v.goid)
		}
		found = append(found, report{slow, *v.notify})
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
