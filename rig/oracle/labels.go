package oracle

import (
	"context"
	"runtime/pprof"
	"unsafe"
)

// The address of a goroutine's profiler labels, which is that of the context's, or nil. Otherwise
// only a profile has them.
//
//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

//go:linkname setGoroutineLabels runtime/pprof.runtime_setProfLabel
func setGoroutineLabels(labels unsafe.Pointer)

// labelsOf returns the address of the labels of ctx.
func labelsOf(ctx context.Context) unsafe.Pointer {
	defer setGoroutineLabels(goroutineLabels())
	pprof.SetGoroutineLabels(ctx)
	return goroutineLabels()
}

// setLabels notes which labels the function of o must run under: those of its context; those of its
// caller if it runs in place; or none. In a coroutine they are checked as it begins, and not later:
// the engine resets them to those of the goroutine that serves.
func (a *activation) setLabels(o *op, rec *record) {
	_, a.coroutine = a.run.pulled.Load(a.g)
	switch {
	case rec.labels != nil:
		a.labels = rec.labels
		got := goroutineLabels()
		a.run.must(o, got == a.labels, "its function runs under the labels %p, want %p", got, a.labels)
	case o.verb.queues() && !o.verb.posts() && rec.by.g == a.g:
		a.labels = rec.by.labels
	}
}

// checkLabels checks that a runs under the labels with which it began.
func (a *activation) checkLabels(o *op, when string) {
	got := goroutineLabels()
	a.run.must(o, got == a.labels || a.coroutine, "the labels %s it are %p, want %p", when, got,
		a.labels)
}
