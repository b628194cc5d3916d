package engine

import (
	"bytes"
	"runtime"
	"runtime/trace"
	"slices"
	"strconv"
	"sync"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/clock"
)

// A watch reports functions that run for longer than they should, on one thread or on those of a
// pool, and those that wait for as long, see observe_stall.go.
//
// While functions run or wait there is one timer, due when the oldest that has not been reported
// will have run for too long. A function that returns in time leaves it alone: when it fires it
// looks again. So a call costs the timer nothing, and threads without calls have no timer. The
// thread makes the timer, or a caller, and not the goroutine that asked for reports: that may be in
// a bubble of testing/synctest, to which the timer would belong.
//
// The function that is notified may refer to the thread's handle. The watch, which the thread
// refers to, therefore refers to it weakly, and so that it is notified of what is queued when the
// handle is dropped, each observedCall refers to it as well.
type watch struct {
	of     *target
	limit  time.Duration
	notify weak.Pointer[func(Slow)]

	// mu is held while a stack is taken, so that a function that would return meanwhile waits, and
	// the stack is its.
	mu      sync.Mutex
	ended   bool
	running []*observedCall // those that began first come first
	waiting waiting
	timer   *time.Timer
	set     bool // the timer is, or its function has not got mu yet
}

// Slow is a function that has run for longer than it should, and still runs, or has not begun.
type Slow struct {
	Thread  int // in a pool
	TID     uint64
	Running time.Duration // or zero
	Waiting time.Duration // or zero
	Stack   []byte        // of the thread, as runtime.Stack writes it
	From    []uintptr     // of the goroutine that queued the function
}

func newWatch(of *target, limit time.Duration, notify *func(Slow)) *watch {
	w := &watch{of: of, limit: limit, notify: weak.Make(notify)}
	w.waiting.reported = longAgo
	return w
}

// stop keeps the watch from reporting anything more. A nil watch does not.
func (w *watch) stop() {
	if w == nil {
		return
	}
	w.mu.Lock()
	w.ended = true
	w.waiting.clear()
	w.mu.Unlock()
}

// begin is called on the thread when v begins to run.
//
//threadcall:noalloc
func (w *watch) begin(v *observedCall) {
	w.mu.Lock()
	v.notified = false
	w.waiting.remove(v)
	w.waiting.stalled = false
	w.running = append(w.running, v) //threadcall:alloc when more functions run at once than ever
	w.arm()
	w.mu.Unlock()
}

// arm sets the timer, if it is not. The caller holds mu.
//
//threadcall:noalloc
func (w *watch) arm() {
	if w.set || w.ended {
		return
	}
	w.set = true
	if w.timer == nil {
		w.timer = time.AfterFunc(w.limit, w.look) //threadcall:alloc the first time
	} else {
		w.timer.Reset(w.limit)
	}
}

// end is called on the thread when v has run.
//
//threadcall:noalloc
func (w *watch) end(v *observedCall) {
	w.mu.Lock()
	w.running = remove(w.running, v)
	w.mu.Unlock()
}

// look is the timer's function. Each report has a goroutine of its own, as it may block, panic or
// call Goexit.
func (w *watch) look() {
	for _, slow := range w.find() {
		go slow.notify(slow.Slow)
	}
}

type report struct {
	Slow
	notify func(Slow)
}

func (w *watch) find() []report {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.set = false
	if w.ended {
		return nil
	}
	next, found := w.stall()
	for _, v := range w.running {
		if v.notified {
			continue
		}
		now := clock.Now()
		if left := w.limit - (now - v.since); left > 0 { // and the others began later
			next = min(next, left)
			break
		}
		v.notified = true
		slow := Slow{Running: now - v.since, From: slices.Clone(v.from[:v.depth])}
		if e := v.on; e != nil {
			slow.Thread, slow.TID, slow.Stack = e.index, e.tid.Load(), stackOf(v.goid)
		}
		v.logSlow(slow)
		found = append(found, report{slow, *v.notify})
	}
	if next != notYet {
		w.set = true
		w.timer.Reset(next)
	}
	return found
}

// logSlow leaves a mark in the trace that is recorded, if any, by which threadcall trace finds the
// function.
func (v *observedCall) logSlow(s Slow) {
	if !trace.IsEnabled() {
		return
	}
	ctx := never
	if v.task != nil {
		ctx = v.ctx
	}
	trace.Logf(ctx, slowLog, "goroutine=%d thread=%d running=%d", v.goid, s.TID, clock.Now()-v.since)
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
