package demo

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
)

// A meter has the function that is called for a sample. It sees by itself on which thread and how often that runs.
type meter struct {
	look bool // at the thread, which takes too long to do it always
	on   string
	ran  int // while calls were timed
}

func (m *meter) work() {
	if m.look {
		m.on = osthread.Here()
	}
	m.ran++
}

// memoryCalls is how many calls the memory of one is measured by.
const memoryCalls = 500

// memoryDuration is how long that takes, on average over the rows and roughly.
const memoryDuration = 10 * time.Millisecond

// measure samples call, which calls m.work once, for about d. Memory is measured apart from time: with the collector
// off, or its own allocations would be among the calls'.
func (m *meter) measure(call func(), d time.Duration) (s Sample) {
	m.look = true
	call()
	m.look = false

	batch := 1 // as many calls as make a look at the clock cheap; to find out warms up as well
	for took := time.Duration(0); took < d/20; {
		batch *= 2
		start := time.Now()
		repeat(batch, call)
		took = time.Since(start)
	}
	m.ran = 0
	start, took := time.Now(), time.Duration(0)
	for took < d {
		repeat(batch, call)
		s.Calls += batch
		took = time.Since(start)
	}
	s.Time = float64(took) / float64(s.Calls)
	ran := m.ran

	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	repeat(memoryCalls/10, call) // fills the pools that the collector has emptied
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	repeat(memoryCalls, call)
	runtime.ReadMemStats(&after)
	s.Memory = &Memory{
		Bytes:  float64(after.TotalAlloc-before.TotalAlloc) / memoryCalls,
		Allocs: float64(after.Mallocs-before.Mallocs) / memoryCalls,
	}
	m.ran = ran
	return s
}

func repeat(n int, call func()) {
	for range n {
		call()
	}
}
