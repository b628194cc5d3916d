package observe

import (
	"context"
	"runtime/pprof"

	"github.com/threadcall/threadcall/internal/ident"
)

// Labels are the profiler labels of a thread. A function that is called with a context which has
// profiler labels runs under these labels, so that the samples of a CPU profile that are taken on
// the thread say whose work it was. They are set before the function and reset after it. The
// runtime keeps the labels of a goroutine where only SetGoroutineLabels gets to, and nothing reads
// them, so the thread remembers what the goroutine that serves has. A function that it runs while
// it serves or waits inside another is not that one's work, and does not have its labels.
//
// A coroutine is another goroutine: labels that are set there are reset to those of the goroutine
// that serves, which may be others than those with which it was made.
type Labels struct {
	own  context.Context // of functions that have none: of the thread's name, or of ServeContext
	Now  context.Context // of the goroutine that serves
	name *pprof.LabelSet // the thread's name, or nil
	G    uintptr         // that goroutine
}

// Name makes name, as the label thread, one of what runs on the thread.
func (l *Labels) Name(name string) {
	set := pprof.Labels("thread", name)
	l.name, l.own = &set, pprof.WithLabels(context.Background(), set)
	l.Set(l.own)
}

// HasLabels reports whether ctx has any.
//
//threadcall:noalloc
func HasLabels(ctx context.Context) (has bool) {
	if ctx != context.Background() {
		pprof.ForLabels(ctx, func(string, string) bool {
			has = true
			return false
		})
	}
	return has
}

// withName returns a context with the labels of ctx and of the thread's name.
//
//threadcall:noalloc
func (l *Labels) withName(ctx context.Context) context.Context {
	if l.name == nil {
		return ctx
	}
	return pprof.WithLabels(ctx, *l.name) //threadcall:alloc for a thread with a name
}

// Set has the calling goroutine run under the labels of ctx.
//
//threadcall:noalloc
func (l *Labels) Set(ctx context.Context) {
	pprof.SetGoroutineLabels(ctx) // first, as a context of another package may panic
	if ident.G() == l.G {
		l.Now = ctx
	}
}

// Under is Set, with the thread's name.
//
//threadcall:noalloc
func (l *Labels) Under(ctx context.Context) { l.Set(l.withName(ctx)) }

// Unlabel has the calling goroutine run under the thread's own labels, and returns what is to be
// given to Relabel. If it does already, it may have labels that only a host knows, and keeps them.
//
//threadcall:noalloc
func (l *Labels) Unlabel() (before context.Context) {
	if before = l.Now; before != l.own {
		l.Set(l.own)
	}
	return before
}

//threadcall:noalloc
func (l *Labels) Relabel(before context.Context) {
	if before != l.own {
		l.Set(before)
	}
}

// Serve makes the labels of ctx, if it has any, the thread's own until undo is called. The
// goroutine of a host that serves keeps them: they are its own if it goes by the rules of package
// pprof.
func (l *Labels) Serve(ctx context.Context, hosts bool) (undo func()) {
	before := *l
	if HasLabels(ctx) {
		l.own = l.withName(ctx)
	}
	l.Unlabel()
	return func() {
		l.own = before.own
		if hosts {
			l.Now = before.Now
		} else if l.Now != before.Now {
			l.Set(before.Now)
		}
	}
}
