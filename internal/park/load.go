// Package park has what a thread needs in order to wait: how to sleep and be woken, how to spin, and when not to.
package park

import (
	"os"
	"runtime/metrics"
	"strings"
	"time"
)

var epoch = time.Now()

// Now is a monotonic clock.
func Now() time.Duration { return time.Since(epoch) }

// A Load reads how busy the Go scheduler is, without allocating. It serves one goroutine at a time.
type Load struct{ samples [2]metrics.Sample }

// Read returns how many Ps run something (the caller's included) and how many there are. It costs about 100 ns.
func (l *Load) Read() (running, procs int) {
	s := &l.samples
	if s[0].Name == "" {
		s[0].Name = "/sched/goroutines/running:goroutines"
		s[1].Name = "/sched/gomaxprocs:threads"
	}
	metrics.Read(s[:])
	procs = int(s[1].Value.Uint64())
	if s[0].Value.Kind() != metrics.KindUint64 {
		return procs, procs // an older runtime: take it for busy
	}
	return int(s[0].Value.Uint64()), procs
}

func asyncPreemptOff() bool {
	return strings.Contains(","+os.Getenv("GODEBUG")+",", ",asyncpreemptoff=1,")
}
