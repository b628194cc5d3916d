// Package bench loads a thread in the ways that programs do, next to what package compare has. Its
// benchmarks compare them under every load:
//
//	go test -bench . ./rig/bench     each subject by itself, in the usual form
//	go run ./rig/bench/phases        phases that follow one another in one process
//	go run ./rig/plots FILE          a table of how the subjects compare
//	make bench                       all three
//
// Only ratios from one run mean much: on a machine with other work, times of the same code minutes
// apart differ by a factor of two and more.
package bench

import (
	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/thread"
)

// nop is what is called: a call's cost is all that is measured.
func nop() {}

// A way is one to have functions run on a thread.
type way struct {
	name string
	open func() (s compare.Subject, end func())
}

var (
	onMain = way{name: "threadcall", open: func() (compare.Subject, func()) {
		return compare.MainThread, nop
	}}
	onThread = way{name: "thread", open: func() (compare.Subject, func()) {
		t := thread.New()
		return t, t.Terminate
	}}
	reference = way{name: "reference", open: func() (compare.Subject, func()) {
		d := compare.Struct()
		return d, compare.OnThread(d)
	}}
	spinning = way{name: "spinning", open: func() (compare.Subject, func()) { return compare.Spin() }}
)
