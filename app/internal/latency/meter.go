package main

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
)

// A meter records what happens in one process, without allocating meanwhile.
type meter struct {
	plan
	began  time.Time
	over   atomic.Bool // the windows are to close
	frames [windows][]time.Time
	inputs []input // of one goroutine
	calls  []time.Duration
	cpu    float64
	ended  sync.WaitGroup
}

// An input is a position of the mouse, and when its handler ran.
type input struct {
	X, Y int
	At   int64 // wall clock, in nanoseconds
}

// A result is what a process prints.
type result struct {
	Frames [windows][]time.Duration // between the beginnings of two frames
	Inputs []input
	Calls  []time.Duration
	CPU    float64 // seconds a second
}

const settle = 500 * time.Millisecond // in which the first frames are slow

func newMeter(p plan) *meter {
	const plenty = 1 << 17
	m := &meter{plan: p, inputs: make([]input, 0, plenty), calls: make([]time.Duration, 0, plenty)}
	for i := range m.frames {
		m.frames[i] = make([]time.Time, 0, plenty)
	}
	return m
}

// frame is called when the drawing of a frame begins.
func (m *meter) frame(window int) {
	m.frames[window] = append(m.frames[window], time.Now())
	for start := time.Now(); m.draw > 0 && time.Since(start) < m.draw; {
	}
}

func (m *meter) moved(x, y float64) {
	m.inputs = append(m.inputs, input{int(x), int(y), time.Now().UnixNano()})
}

// measure measures until the time is over, and then calls stop. Call calls the main thread.
func (m *meter) measure(call, stop func()) {
	for range m.computing {
		go func() {
			for n := 0; !m.over.Load(); n++ {
			}
		}()
	}
	m.ended.Go(func() {
		defer stop()
		defer m.over.Store(true)
		time.Sleep(settle)
		m.began = time.Now()
		cpu := bench.CPUTime()
		for time.Since(m.began) < m.duration {
			time.Sleep(5*time.Millisecond + rand.N(20*time.Millisecond))
			start := time.Now()
			call()
			m.calls = append(m.calls, time.Since(start))
		}
		m.cpu = float64(bench.CPUTime()-cpu) / float64(time.Since(m.began))
	})
}

// result returns what there is after the windows have been closed.
func (m *meter) result() result {
	m.ended.Wait()
	r := result{Calls: m.calls, CPU: m.cpu}
	for _, in := range m.inputs {
		if in.At > m.began.UnixNano() {
			r.Inputs = append(r.Inputs, in)
		}
	}
	for i, all := range m.frames {
		for j := 1; j < len(all); j++ {
			if all[j-1].After(m.began) {
				r.Frames[i] = append(r.Frames[i], all[j].Sub(all[j-1]))
			}
		}
	}
	return r
}
