// Package sched has the Go scheduler's load, and a yield that polls the network.
package sched

import (
	"runtime/metrics"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
)

// A Load reads what the Go scheduler has to do, without allocating, for one goroutine at a time.
type Load struct {
	samples [3]metrics.Sample
	missing bool          // this release of Go does not report what Waiting reads
	next    time.Duration // when Yield yields again
}

// PrepareLoad does what the first call of Waiting in a process would otherwise do: it has the
// runtime make its table of metrics, which allocates.
var PrepareLoad = sync.OnceFunc(func() { new(Load).Waiting(1) })

// Waiting reports whether goroutines wait for a P, and none of so many Ps is free to take them. A P
// whose goroutine is in C or in a system call counts as one that is not. It costs 100 to 200 ns and
// takes the scheduler's lock. It is not ok before Go 1.26, which was the first to report this.
//
//threadcall:noalloc
func (l *Load) Waiting(ps int) (waiting, ok bool) {
	n := 1
	if ps > 0 {
		n = len(l.samples)
	}
	if !l.read(n) {
		return false, false
	}
	sum := 0
	for i := range l.samples[:n] {
		sum += int(l.samples[i].Value.Uint64())
	}
	return l.samples[0].Value.Uint64() > 0 && sum > ps, true
}

// Below reports whether fewer than n goroutines run or wait for a P. A P that looks for a goroutine
// to run counts as one that runs. It is true before Go 1.26.
//
//threadcall:noalloc
func (l *Load) Below(n int) bool {
	if !l.read(2) {
		return true
	}
	waiting, running := l.samples[0].Value.Uint64(), l.samples[1].Value.Uint64()
	return int(waiting+running) < n
}

// Free reports whether a P has nothing to do, of so many, which are more than two. Then what
// becomes ready need not wait for another. It is false before Go 1.26.
//
//threadcall:noalloc
func (l *Load) Free(ps int) bool { return ps > 2 && l.Below(ps) && !l.missing }

// Running returns how many goroutines run, as Below counts them. It is zero before Go 1.26.
//
//threadcall:noalloc
func (l *Load) Running() int {
	if !l.read(2) {
		return 0
	}
	return int(l.samples[1].Value.Uint64())
}

// read reads the first n samples.
//
//threadcall:noalloc
func (l *Load) read(n int) bool {
	if l.missing {
		return false
	}
	s := l.samples[:n]
	for i := range s {
		s[i].Name = names[i]
	}
	metrics.Read(s)
	l.missing = s[0].Value.Kind() != metrics.KindUint64
	return !l.missing
}

var names = [...]string{
	"/sched/goroutines/runnable:goroutines", "/sched/goroutines/running:goroutines",
	"/sched/goroutines/not-in-go:goroutines",
}

// Yield is for versions of Go in which Waiting is false. It calls gosched, which is
// runtime.Gosched, unless that has cost too much: a hundredth of the time. It returns at once when
// nothing waits for a P, and late when goroutines compute, so it is its own measure of the load. It
// reports whether it has called gosched.
func (l *Load) Yield(gosched func()) bool {
	now := clock.Now()
	if now < l.next {
		return false
	}
	gosched()
	end := clock.Now()
	l.next = end + 100*(end-now)
	return true
}
