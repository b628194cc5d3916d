package keyed

import (
	"math"
	"runtime"
	"time"
)

// Stats are what Threads have done, and what they do, as [database/sql.DBStats] has it for
// connections. They are counted always.
//
//	expvar.Publish("namespaces", expvar.Func(func() any { return namespaces.Stats() }))
type Stats struct {
	MaxThreads int // of [WithMaxThreads]; 0 without a limit

	Threads int // that have not ended; those that start and stop are in use
	InUse   int
	Idle    int // that no call uses

	WaitCount    int64         // calls that have waited for a thread, of their key or of any
	WaitDuration time.Duration // how long those have waited that wait no longer

	MaxThreadsEnded int64 // unused threads that ended because another key needed one
	IdleEnded       int64 // unused threads that ended by [WithIdleTimeout]
}

// Stats returns the counts. Threads.Forget and Close are not counted among the ends. A call that
// makes a thread at once has not waited, although it waits for the start.
func (h *Threads[K]) Stats() Stats {
	defer runtime.KeepAlive(h)
	k := h.k
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.stats
	if k.max < math.MaxInt {
		s.MaxThreads = k.max
	}
	s.Threads, s.Idle = k.slots, k.unused.n
	s.InUse = s.Threads - s.Idle
	return s
}
