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
//	ns/op        the median of single operations, in closed loops without a pause the mean of all
//	cpu-ns/op    for how long the whole process computed, pauses and the caller's own work included
//	p90-ns       what one call in ten exceeds, in closed loops one of those that were timed
//	p99-ns       what one call in a hundred exceeds
//	lost-%       the share of the computing that was lost to the calls
//
// Pauses and the caller's own work do not count in times. An operation of Burst is 200 calls. Where there is a p99-ns,
// up to 8 B/op are the benchmark's own.
//
// The subject floor is what two threads need that do nothing else: in closed loops they hand one word to and fro, for
// lone calls they wake each other by futex, the better of both on one core (floor-one) and each on its own (floor-two).
package benchmarks

import (
	"github.com/threadcall/threadcall/internal/article"
	"github.com/threadcall/threadcall/internal/workload"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// A Subject is one way to have functions run on a thread.
type Subject struct {
	Name    string
	Open    func() (s workload.Subject, end func())
	Threads int // how many share the work; zero is one
}

var (
	// Threadcall is the main thread, which must be served by mainthread.Init.
	Threadcall = Subject{Name: "threadcall", Open: func() (workload.Subject, func()) { return main{}, func() {} }}

	// Thread is a thread of thread.New.
	Thread = Subject{Name: "thread", Open: func() (workload.Subject, func()) {
		t := thread.New()
		return t, t.Terminate
	}}

	// Reference is the article's last design on a thread of its own.
	Reference = Subject{Name: "reference", Open: func() (workload.Subject, func()) {
		d := article.Struct()
		return d, article.OnThread(d)
	}}
)

// pool returns two ways to have so many threads share the work.
func pool(threads int) []Subject {
	return []Subject{
		{"thread", func() (workload.Subject, func()) {
			p := thread.NewPool(threads)
			return p, p.Terminate
		}, threads},
		{"reference", func() (workload.Subject, func()) {
			d := article.Struct()
			var stops []func()
			for range threads {
				stops = append(stops, article.OnThread(d))
			}
			return d, func() {
				for _, stop := range stops {
					stop()
				}
			}
		}, threads},
	}
}

type main struct{}

func (main) Call(f func()) bool { return mainthread.Call(f) }
func (main) Go(f func()) bool   { return mainthread.Go(f) }
