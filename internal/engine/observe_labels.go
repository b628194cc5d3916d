package engine

import (
	"context"
	"runtime/pprof"
	"strconv"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/osthread"
)

// A function that is called with a context which has profiler labels runs under these labels, so
// that the samples of a CPU profile that are taken on the thread say whose work it was. They are
// set before the function and reset after it. The runtime keeps the labels of a goroutine where
// only SetGoroutineLabels gets to, and nothing reads them, so the thread remembers what the
// goroutine that serves has. A function that it runs while it serves or waits inside another is not
// that one's work, and does not have its labels.
//
// A coroutine is another goroutine: labels that are set there are reset to those of the goroutine
// that serves, which may be others than those with which it was made.
type labels struct {
	own  context.Context // of functions that have none: of the thread's name, or of ServeContext
	now  context.Context // of the goroutine that serves
	name *pprof.LabelSet // the thread's name, or nil
}

// hasLabels reports whether ctx has any.
//
//threadcall:noalloc
func hasLabels(ctx context.Context) bool {
	if ctx == never {
		return false
	}
	has := false
	pprof.ForLabels(ctx, func(string, string) bool {
		has = true
		return false
	})
	return has
}

// withName returns a context with the labels of ctx and of the thread's name.
//
//threadcall:noalloc
func (e *Engine) withName(ctx context.Context) context.Context {
	if e.labels.name == nil {
		return ctx
	}
	return pprof.WithLabels(ctx, *e.labels.name) //threadcall:alloc for a thread with a name
}

// setLabels has the calling goroutine run under the labels of ctx.
//
//threadcall:noalloc
func (e *Engine) setLabels(ctx context.Context) {
	pprof.SetGoroutineLabels(ctx) // first, as a context of another package may panic
	if ident.G() == e.g {
		e.labels.now = ctx
	}
}

// unlabel has the calling goroutine run under the thread's own labels, and returns what is to be
// given to relabel. If it does already, it may have labels that only a host knows, and keeps them.
//
//threadcall:noalloc
func (e *Engine) unlabel() (before context.Context) {
	if before = e.labels.now; before != e.labels.own {
		e.setLabels(e.labels.own)
	}
	return before
}

//threadcall:noalloc
func (e *Engine) relabel(before context.Context) {
	if before != e.labels.own {
		e.setLabels(before)
	}
}

// labelServing makes the labels of ctx, if it has any, the thread's own until undo is called. The
// goroutine of a host that serves keeps them: they are its own if it goes by the rules of package
// pprof.
func (e *Engine) labelServing(ctx context.Context) (undo func()) {
	before := e.labels
	hosts := !e.own && e.serving.Load() == 0
	if hasLabels(ctx) {
		e.labels.own = e.withName(ctx)
	}
	e.unlabel()
	return func() {
		e.labels.own = before.own
		if hosts {
			e.labels.now = before.now
		} else if e.labels.now != before.now {
			e.setLabels(before.now)
		}
	}
}

// nameThread gives the thread its name, if it has one: for the operating system, and as the label
// thread of what runs there.
func (e *Engine) nameThread() {
	if e.Name == "" {
		return
	}
	name := e.threadName()
	_ = osthread.SetName(name) // without it, or with its beginning, the thread is as good
	set := pprof.Labels("thread", name)
	own := pprof.WithLabels(never, set)
	e.labels.name, e.labels.own = &set, own
	e.setLabels(own)
}

// threadName returns the name of the thread. Those of a pool are numbered, and cut before that, so
// that the system shows the number.
func (e *Engine) threadName() string {
	const shown = 15 // bytes, on Linux
	name := e.Name
	switch number := "-" + strconv.Itoa(e.index); {
	case e.Main:
		return "main"
	case e.pool == nil || name == "":
		return name
	default:
		return name[:min(len(name), shown-len(number))] + number
	}
}
