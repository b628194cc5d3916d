package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

// A meter makes calls and keeps what came of them.
type meter struct {
	mu    sync.Mutex
	calls int
	there int // of them, those that ran on the main thread
	took  []time.Duration
}

// call runs f on the main thread and waits for it. It is false when the main thread takes no calls any more.
func (m *meter) call(f func()) bool {
	start := time.Now()
	there := false
	if !mainthread.Call(func() { there = mainthread.On(); f() }) {
		return false
	}
	took := time.Since(start)

	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if there {
		m.there++
	}
	m.took = append(m.took, took)
	return true
}

func (m *meter) String() string {
	m.mu.Lock()
	calls, there, took := m.calls, m.there, slices.Sorted(slices.Values(m.took))
	m.mu.Unlock()
	if calls == 0 {
		return "no calls"
	}
	return fmt.Sprintf("%d calls, %d of them on the main thread, median %v, 99th percentile %v",
		calls, there, round(took[calls/2]), round(took[calls*99/100]))
}

func round(d time.Duration) time.Duration {
	if d > time.Millisecond {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(100 * time.Nanosecond)
}
