package oracle

import (
	"context"
	"runtime/pprof"
	"slices"
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
// caller if it runs in place, or in a coroutine; or none.
func (a *activation) setLabels(o *op, rec *record) {
	c, _ := a.run.pulled.Load(a.g)
	switch {
	case rec.labels != nil:
		a.labels = rec.labels
	case o.verb.pulls():
		a.labels, a.inherits = rec.by.labels, c.(*puller)
		if rec.by.inherits != nil {
			a.labels = goroutineLabels()
		}
		a.inherits.guess()
	case o.verb.queues() && !o.verb.posts() && rec.by.g == a.g:
		a.labels, a.inherits = rec.by.labels, rec.by.inherits
	}
	if a.worker != nil && c == nil {
		a.outer, a.worker.own = a.worker.own, a
	}
}

// guess notes which labels the engine may now take c to have inherited, which it cannot read: those
// of what runs on the thread's own goroutine. They are others if c was made within a labelled call
// of another coroutine, or is resumed by another function than the one that has made it.
func (c *puller) guess() {
	if c.worker != nil {
		c.labels = append(c.labels, c.worker.own.labels)
	}
}

// checkLabels checks that a runs under the labels with which it began.
func (a *activation) checkLabels(o *op, when string) {
	got := goroutineLabels()
	if got != a.labels && (a.inherits == nil || !slices.Contains(a.inherits.labels, got)) {
		a.run.failf(o, "the labels %s it are %p, want %p", when, got, a.labels)
	}
}
