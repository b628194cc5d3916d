package sched

import (
	"runtime/metrics"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
)

// A Load reads how much the Go scheduler has to do, without allocating. It serves one goroutine at
// a time.
type Load struct {
	samples [1]metrics.Sample
	missing bool          // this release of Go does not report what Waiting reads
	next    time.Duration // when Yield yields again
}

// PrepareLoad does what the first call of Waiting in a process would otherwise do: it has the
// runtime make its table of metrics, which allocates.
var PrepareLoad = sync.OnceFunc(func() { new(Load).Waiting() })

// Waiting returns how many goroutines wait for a P. It costs about 100 ns and takes the scheduler's
// lock. It is false before Go 1.26, which was the first to report it.
func (l *Load) Waiting() (n int, ok bool) {
	if l.missing {
		return 0, false
	}
	s := &l.samples
	s[0].Name = "/sched/goroutines/runnable:goroutines"
	metrics.Read(s[:])
	if l.missing = s[0].Value.Kind() != metrics.KindUint64; l.missing {
		return 0, false
	}
	return int(s[0].Value.Uint64()), true
}

// Yield is for versions of Go in which Waiting is false. It calls gosched, which is
// runtime.Gosched, unless that has cost too much: a hundredth of the time. It returns at once when
// nothing waits for a P, and late when goroutines compute, so it is its own measure of the load.
func (l *Load) Yield(gosched func()) {
	now := clock.Now()
	if now < l.next {
		return
	}
	gosched()
	end := clock.Now()
	l.next = end + 100*(end-now)
}
