package keyed

import (
	"math"
	"runtime"
	"time"
)

// Stats are counts of Threads, as [database/sql.DBStats] are of connections. Threads always count.
//
//	expvar.Publish("namespaces", expvar.Func(func() any { return namespaces.Stats() }))
type Stats struct {
	MaxThreads int // of [WithMaxThreads]; 0 without a limit

	Threads int // that have not ended; those that start or stop are in use
	InUse   int
	Idle    int // that no call uses

	WaitCount    int64         // calls that have waited for a thread, of their key or of any
	WaitDuration time.Duration // of those that wait no longer

	MaxThreadsEnded int64 // unused threads that ended because another key needed one
	IdleEnded       int64 // unused threads that ended by [WithIdleTimeout]
}

// Stats returns the counts. Threads that Forget and Close have ended are in neither count of ends.
// A call that makes a thread at once has not waited, although it waits for the start.
func (h *Threads[K]) Stats() Stats {
	defer runtime.KeepAlive(h)
	k := h.k
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.stats
	if k.max < math.MaxInt {
		s.MaxThreads = k.max
	}
	s.MaxThreadsEnded = k.evicts.Load()
	for _, x := range k.all {
		if x.calls.Load() == 0 {
			s.Idle++
		}
	}
	s.Threads = len(k.all)
	s.InUse = s.Threads - s.Idle
	return s
}
