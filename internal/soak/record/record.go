// Package record looks at what the process holds: memory, goroutines, threads.
package record

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
)

// A Sample is what the process held at one moment, after a garbage collection, and what it had done until then.
type Sample struct {
	At         time.Duration
	Live       float64 // bytes of heap that the collector found in use
	Objects    float64 // on the heap
	Stacks     float64 // bytes, of goroutines
	Goroutines float64
	Threads    float64 // of the operating system; zero where that cannot be told
	Resident   float64 // bytes of the process that are in memory; zero where that cannot be told

	Calls     uint64 // so far
	Mallocs   uint64 // so far
	CPU       time.Duration
	CallsRate float64 // a second, since the sample before
	CPURate   float64 // cores, since the sample before
}

// A Recorder takes samples.
type Recorder struct {
	calls   func() uint64
	start   time.Time
	cpu     time.Duration
	last    Sample
	metrics []metrics.Sample
}

// New begins a record. calls tells how many calls have been made.
func New(calls func() uint64) *Recorder {
	r := &Recorder{calls: calls, start: time.Now(), cpu: bench.CPUTime()}
	for _, name := range []string{
		"/gc/heap/live:bytes",
		"/gc/heap/objects:objects",
		"/memory/classes/heap/stacks:bytes",
		"/sched/goroutines:goroutines",
		"/gc/heap/allocs:objects",
	} {
		r.metrics = append(r.metrics, metrics.Sample{Name: name})
	}
	return r
}

// Take collects garbage and takes a sample.
func (r *Recorder) Take() Sample {
	runtime.GC()
	metrics.Read(r.metrics)
	value := func(i int) uint64 {
		if v := r.metrics[i].Value; v.Kind() == metrics.KindUint64 {
			return v.Uint64()
		}
		return 0
	}
	s := Sample{
		At:         time.Since(r.start),
		Live:       float64(value(0)),
		Objects:    float64(value(1)),
		Stacks:     float64(value(2)),
		Goroutines: float64(value(3)),
		Mallocs:    value(4),
		Calls:      r.calls(),
		CPU:        bench.CPUTime() - r.cpu,
	}
	s.Threads, s.Resident = fromSystem()
	if d := (s.At - r.last.At).Seconds(); d > 0 {
		s.CallsRate = float64(s.Calls-r.last.Calls) / d
		s.CPURate = (s.CPU - r.last.CPU).Seconds() / d
	}
	r.last = s
	return s
}
