package park

import (
	"runtime/metrics"
	"time"
)

// A Load reads how much the Go scheduler has to do, without allocating. It serves one goroutine at a time.
type Load struct {
	samples [3]metrics.Sample
	missing bool          // this release of Go does not report what Read reads
	next    time.Duration // when Yield yields again
}

// Read returns how many goroutines run, the caller included, how many wait for a P, and how many Ps there are. It costs about
// 100 ns and takes the scheduler's lock. It is false before Go 1.26, which was the first to report it.
func (l *Load) Read() (running, waiting, ps int, ok bool) {
	if l.missing {
		return 0, 0, 0, false
	}
	s := &l.samples
	if s[0].Name == "" {
		s[0].Name = "/sched/goroutines/running:goroutines"
		s[1].Name = "/sched/goroutines/runnable:goroutines"
		s[2].Name = "/sched/gomaxprocs:threads"
	}
	metrics.Read(s[:])
	for i := range s {
		if s[i].Value.Kind() != metrics.KindUint64 {
			l.missing = true
			return 0, 0, 0, false
		}
	}
	return int(s[0].Value.Uint64()), int(s[1].Value.Uint64()), int(s[2].Value.Uint64()), true
}

// Yield is for where Read is false. It calls gosched, which is runtime.Gosched, unless that has cost too much: a hundredth of the
// time. It returns at once when nothing waits for a P, and late when goroutines compute, so it is its own measure of the load.
func (l *Load) Yield(gosched func()) {
	now := Now()
	if now < l.next {
		return
	}
	gosched()
	end := Now()
	l.next = end + 100*(end-now)
}
