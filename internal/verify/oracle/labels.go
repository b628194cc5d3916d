package oracle

import (
	"context"
	"runtime/pprof"
	"unsafe"
)

// The address of a goroutine's profiler labels, which is that of the context's, or nil. Otherwise only a
// profile has them.
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

// labels returns which labels the function of o must run under, on goroutine g: those of its context, those
// of its caller if it runs in place or in a coroutine, or none.
func (o *op) labels(rec *record, g uintptr) unsafe.Pointer {
	switch {
	case rec.labels != nil:
		return rec.labels
	case o.verb.pulls(), o.verb.queues() && !o.verb.posts() && rec.by.g == g:
		return rec.by.labels
	}
	return nil
}

// checkLabels checks that a runs under the labels with which it began.
func (a *activation) checkLabels(o *op, when string) {
	if got := goroutineLabels(); got != a.labels {
		a.run.failf(o, "the labels %s it are %p, want %p", when, got, a.labels)
	}
}
