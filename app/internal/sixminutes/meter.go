package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
)

const sampleEvery = time.Second

// A sample is what the process holds at one moment, and what it has done since it began. Nothing has been collected
// for it: the heap is what the trace of the article shows as allocated, garbage included.
type sample struct {
	at            time.Time
	heap          uint64 // bytes
	bytes         uint64 // allocated so far
	objects       uint64 // allocated so far
	collections   uint32
	cpu           time.Duration
	frames, calls uint64 // of all windows; of the main thread
}

// A meter takes samples while the windows are shown, and allocates nothing meanwhile.
type meter struct {
	duration      time.Duration
	frames, calls atomic.Uint64 // counted by the design
	over          atomic.Bool   // the windows are to close

	first, last sample
	low         sample    // the first since the last collection
	growth      uint64    // the most by which the heap grew between two collections
	live        [2]uint64 // bytes of heap after a collection: before the first sample, and after the last
	stats       runtime.MemStats
	ended       chan struct{}
}

// measure takes samples until the time is up.
func (m *meter) measure() {
	defer close(m.ended)
	defer m.over.Store(true)
	time.Sleep(min(5*time.Second, m.duration)) // in which the first frames allocate
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	m.live[0] = m.collect()
	m.take()
	m.first, m.low = m.last, m.last
	for range m.duration / sampleEvery {
		<-tick.C
		m.take()
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

func (m *meter) take() {
	runtime.ReadMemStats(&m.stats)
	m.add(sample{
		at: time.Now(), heap: m.stats.HeapAlloc, bytes: m.stats.TotalAlloc, objects: m.stats.Mallocs,
		collections: m.stats.NumGC, cpu: bench.CPUTime(), frames: m.frames.Load(), calls: m.calls.Load(),
	})
}

func (m *meter) add(s sample) {
	if m.last = s; s.collections != m.low.collections {
		m.low = s
	}
	if s.heap > m.low.heap {
		m.growth = max(m.growth, s.heap-m.low.heap)
	}
}

// collect returns how many bytes are in use.
func (m *meter) collect() uint64 {
	runtime.GC()
	runtime.GC() // pools give up in the second what they kept in the first
	runtime.ReadMemStats(&m.stats)
	return m.stats.HeapAlloc
}

// rows are what column has.
var rows = []string{"heap growth here, between two collections", "allocated in all", "collections", "live heap before, after",
	"mallocs a frame", "frames a second, each window", "calls of the main thread a second", "CPU, of one core"}

func (m *meter) column() []string {
	seconds := m.last.at.Sub(m.first.at).Seconds()
	frames := float64(m.last.frames - m.first.frames)
	return []string{
		size(m.growth),
		size(m.last.bytes - m.first.bytes),
		fmt.Sprint(m.last.collections - m.first.collections),
		fmt.Sprintf("%.1f, %.1f KiB", float64(m.live[0])/1024, float64(m.live[1])/1024),
		fmt.Sprintf("%.4f", float64(m.last.objects-m.first.objects)/max(frames, 1)),
		fmt.Sprintf("%.1f", frames/windows/seconds),
		fmt.Sprintf("%.1f", float64(m.last.calls-m.first.calls)/seconds),
		fmt.Sprintf("%.1f %%", 100*(m.last.cpu-m.first.cpu).Seconds()/seconds),
	}
}

func size(bytes uint64) string {
	if kib := float64(bytes) / 1024; kib < 100 {
		return fmt.Sprintf("%.1f KiB", kib)
	}
	return fmt.Sprintf("%.2f MiB", float64(bytes)/(1<<20))
}
