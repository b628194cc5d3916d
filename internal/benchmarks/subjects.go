// Package benchmarks compares threadcall with what it replaces, under every load of package workload:
//
//	go test -bench . ./internal/benchmarks     each subject by itself, in the usual form
//	make bench                                 in rounds, by threadcall bench, side by side
//
// Only ratios from one run mean much: on a machine with other work, times of the same code minutes apart differ by a
// factor of two and more.
//
// The benchmarks report, where it applies,
//
//	ns/op        the median of single operations where there is a p99-ns, else the mean; silence does not count
//	cpu-ns/op    for how long the whole process computed
//	p99-ns       what one operation in a hundred exceeds
//	lost-%       the share of the computing that was lost to the calls
//
// An operation of burst and neighbours is 200 calls. Where there is a p99-ns, 8 B/op are the benchmark's own.
package benchmarks

import (
	"github.com/threadcall/threadcall/internal/article"
	"github.com/threadcall/threadcall/internal/workload"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// A Subject is one way to have functions run on a thread.
type Subject struct {
	Name string
	Open func() (s workload.Subject, end func())
}

var (
	// Threadcall is the main thread, which must be served by mainthread.Init.
	Threadcall = Subject{"threadcall", func() (workload.Subject, func()) { return main{}, func() {} }}

	// Thread is a thread of thread.New.
	Thread = Subject{"thread", func() (workload.Subject, func()) {
		t := thread.New()
		return t, t.Terminate
	}}

	// Reference is the article's last design on a thread of its own.
	Reference = Subject{"reference", func() (workload.Subject, func()) {
		d := article.Struct()
		return d, article.OnThread(d)
	}}
)

type main struct{}

func (main) Call(f func()) bool { return mainthread.Call(f) }
func (main) Go(f func()) bool   { return mainthread.Go(f) }
