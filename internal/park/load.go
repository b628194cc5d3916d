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
type Load struct{ samples [3]metrics.Sample }

// Read returns whether all Ps run something, the caller included, and whether a goroutine waits for one. It costs
// about 100 ns.
func (l *Load) Read() (full, wanted bool) {
	s := &l.samples
	if s[0].Name == "" {
		s[0].Name = "/sched/goroutines/running:goroutines"
		s[1].Name = "/sched/goroutines/runnable:goroutines"
		s[2].Name = "/sched/gomaxprocs:threads"
	}
	metrics.Read(s[:])
	if s[0].Value.Kind() != metrics.KindUint64 || s[1].Value.Kind() != metrics.KindUint64 {
		return true, true // another runtime: take it for busy
	}
	full = s[0].Value.Uint64() >= s[2].Value.Uint64()
	return full, full && s[1].Value.Uint64() > 0
}

func asyncPreemptOff() bool {
	return strings.Contains(","+os.Getenv("GODEBUG")+",", ",asyncpreemptoff=1,")
}
