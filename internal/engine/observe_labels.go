package engine

import (
	"context"
	"runtime/pprof"

	"github.com/threadcall/threadcall/internal/ident"
)

// A function that is called with a context which has profiler labels runs under these labels, so
// that the samples of a CPU profile that are taken on the thread say whose work it was. The runtime
// keeps the labels of a goroutine where only SetGoroutineLabels gets to, and nothing reads them. So
// the thread remembers what it has set last: of the goroutine that serves in Engine.labels, of each
// coroutine that is within a call with labels in Engine.coroutines.
//
//	event                                      own            base       afterwards
//	a function with labels begins              its context    unchanged  what was before
//	the thread serves inside of a function,    nil            unchanged  what was before
//	because what runs then is not its work
//	ServeContext, with labels or without       nil            its own    what was before
//
// What was before is a value on the stack of the same goroutine, so it is right whatever a
// coroutine that yields in between leaves behind. A goroutine begins with the labels of the one
// that has made it. A thread is not the work of what made it, and so begins without. What a
// coroutine has inherited is taken to be what the thread's own goroutine has: that is wrong if it
// was made within a labelled call of another coroutine, or is resumed by another function.
type labels struct {
	own, base context.Context // of the function that runs, and of those without; or nil
	inherited bool            // by a coroutine
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

// labelsNow returns the labels of the calling goroutine.
//
//threadcall:noalloc
func (e *Engine) labelsNow() labels {
	g := ident.G()
	if g == e.g {
		return e.labels
	}
	l, ok := e.coroutines[g]
	if !ok {
		l = e.labels
		l.inherited = true
	}
	return l
}

// setLabels has the calling goroutine run under l from now on.
//
//threadcall:noalloc
func (e *Engine) setLabels(l labels) {
	e.remember(l)
	e.applyLabels(l)
}

// applyLabels is setLabels for labels that are remembered.
//
//threadcall:noalloc
func (e *Engine) applyLabels(l labels) {
	ctx := l.own
	if ctx == nil {
		ctx = l.base
	}
	if ctx = e.named.add(ctx); ctx == nil {
		ctx = never
	}
	pprof.SetGoroutineLabels(ctx)
}

// remember is setLabels for a goroutine that has the labels.
//
//threadcall:noalloc
func (e *Engine) remember(l labels) {
	e.labelled = true
	switch g := ident.G(); {
	case g == e.g:
		e.labels = l
	case l.inherited:
		delete(e.coroutines, g)
	default:
		if e.coroutines == nil {
			e.coroutines = map[uintptr]labels{} //threadcall:alloc for the first coroutine
		}
		e.coroutines[g] = l
	}
}

// label has the calling goroutine run under the labels of ctx, and returns what is to be given to
// setLabels.
//
//threadcall:noalloc
func (e *Engine) label(ctx context.Context) (before labels) {
	before = e.labelsNow()
	e.setLabels(labels{own: ctx, base: before.base})
	return before
}

// unlabel returns what is to be given to relabel.
//
//threadcall:noalloc
func (e *Engine) unlabel() (before labels) {
	if !e.labelled {
		return before
	}
	if before = e.labelsNow(); before.own != nil || before.inherited {
		e.setLabels(labels{base: before.base})
	}
	return before
}

//threadcall:noalloc
func (e *Engine) relabel(before labels) {
	if before.own != nil || before.inherited {
		e.setLabels(before)
	}
}

// labelServing has functions without labels of their own run under those of ctx, while ServeContext
// serves, until undo is called. A host that serves has labels that only the host knows. So it keeps
// those of ctx, which are its own if it goes by the rules of package pprof.
func (e *Engine) labelServing(ctx context.Context) (undo func()) {
	hosts := !e.own && e.serving.Load() == 0
	before, now := e.labelsNow(), labels{}
	if hasLabels(ctx) {
		now.base = ctx
	}
	if before.own == nil && before.base == nil && now.base == nil &&
		!(before.inherited && e.labelled) {
		return nothing
	}
	e.setLabels(now)
	return func() {
		if hosts {
			e.remember(before)
		} else {
			e.setLabels(before)
		}
	}
}

// labelledInPlace runs the function of a call that is made on the thread with a context that has
// labels.
//
//threadcall:noalloc
func (e *Engine) labelledInPlace(ctx context.Context, fn func()) {
	defer e.setLabels(e.label(ctx))
	inPlace(fn)
}
