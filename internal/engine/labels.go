package engine

import (
	"context"
	"runtime/pprof"
)

// A function that is called with a context which has profiler labels runs under these labels, so that the samples of a CPU
// profile that are taken on the thread say whose work it was. The runtime keeps the labels of a goroutine where only
// SetGoroutineLabels gets to, and nothing reads them. So the thread remembers which visit has set them last, and nil
// stands for those of base.
//
//	a visit with labels begins        label(v)
//	and ends                          label(the visit around it)
//	the thread serves inside of it    unlabel, because what it runs then is not its work; relabel
//
// A goroutine begins with the labels of the one that has made it. A thread is not the work of what made it, and so
// begins without.

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

// label has the goroutine run under the labels of v from now on, or under those of base.
//
//threadcall:noalloc
func (e *Engine) label(v *visit) {
	e.labelled = v
	ctx := e.base
	if v != nil {
		ctx = v.ctx
	}
	if ctx == nil {
		ctx = never
	}
	pprof.SetGoroutineLabels(ctx)
}

// unlabel returns what is to be given to relabel.
//
//threadcall:noalloc
func (e *Engine) unlabel() *visit {
	v := e.labelled
	if v != nil {
		e.label(nil)
	}
	return v
}

//threadcall:noalloc
func (e *Engine) relabel(v *visit) {
	if v != nil {
		e.label(v)
	}
}

// labelServing has functions without labels of their own run under those of ctx, while ServeContext serves, until undo is called.
// A host that serves has labels that only the host knows. So it keeps those of ctx, which are its own if it goes by the rules of
// package pprof.
func (e *Engine) labelServing(ctx context.Context) (undo func()) {
	hosts := !e.own && e.serving.Load() == 0
	base, v := e.base, e.labelled
	e.base = nil
	if hasLabels(ctx) {
		e.base = ctx
	}
	if base == nil && v == nil && e.base == nil {
		return nothing
	}
	e.label(nil)
	return func() {
		e.base, e.labelled = base, v
		if !hosts {
			e.label(v)
		}
	}
}

// labelledInPlace runs the function of a call that is made on the thread with a context that has labels.
//
//threadcall:noalloc
func (e *Engine) labelledInPlace(ctx context.Context, fn func()) {
	v := unusedVisit(nil)
	v.ctx, v.around = ctx, e.labelled
	e.label(v)
	defer func() {
		e.label(v.around)
		v.leave()
	}()
	inPlace(fn)
}
