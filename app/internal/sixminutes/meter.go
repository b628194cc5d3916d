package main

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
)

const sampleEvery = time.Second

// A sample is what the process holds at one moment, and what it has done since it began. Nothing has been collected
// for it: Heap is what the trace of the article shows as allocated, garbage included.
type sample struct {
	At          time.Duration // since the first
	Heap        uint64        // bytes
	Bytes       uint64        // allocated so far
	Objects     uint64        // allocated so far
	Collections uint32
	CPU         time.Duration
	Frames      uint64 // of all windows
	Calls       uint64 // of the main thread
}

// A result is what came of one design.
type result struct {
	Design  string
	Samples []sample
	Live    [2]uint64 // bytes of heap after a collection: before the first sample, and after the last
}

// A meter takes samples while the windows are shown, and allocates nothing meanwhile.
type meter struct {
	warmUp, duration time.Duration
	frames, calls    atomic.Uint64 // counted by the design
	over             atomic.Bool   // the windows shall close

	samples []sample
	live    [2]uint64
	stats   runtime.MemStats
	ended   chan struct{}
}

func newMeter(warmUp, duration time.Duration) *meter {
	return &meter{
		warmUp: warmUp, duration: duration,
		samples: make([]sample, 0, duration/sampleEvery+2),
		ended:   make(chan struct{}),
	}
}

// measure takes samples until the time is up.
func (m *meter) measure() {
	defer close(m.ended)
	defer m.over.Store(true)
	time.Sleep(m.warmUp)
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	m.live[0] = m.collect()
	start := time.Now()
	for {
		m.samples = append(m.samples, m.take(time.Since(start)))
		if len(m.samples) > int(m.duration/sampleEvery) {
			break
		}
		<-tick.C
	}
	m.live[1] = m.collect()
}

// end waits for the end of measure. It returns an error if the windows have been closed before it.
func (m *meter) end() error {
	if !m.over.Load() {
		return errors.New("a window was closed before the time was up")
	}
	<-m.ended
	return nil
}

func (m *meter) take(at time.Duration) sample {
	runtime.ReadMemStats(&m.stats)
	return sample{
		At: at, Heap: m.stats.HeapAlloc, Bytes: m.stats.TotalAlloc, Objects: m.stats.Mallocs,
		Collections: m.stats.NumGC, CPU: bench.CPUTime(), Frames: m.frames.Load(), Calls: m.calls.Load(),
	}
}

// collect returns how many bytes are in use.
func (m *meter) collect() uint64 {
	runtime.GC()
	runtime.GC() // pools give up in the second what they kept in the first
	runtime.ReadMemStats(&m.stats)
	return m.stats.HeapAlloc
}
