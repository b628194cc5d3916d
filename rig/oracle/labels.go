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
