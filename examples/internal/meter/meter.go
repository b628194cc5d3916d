// Package meter measures calls to the main thread.
package meter

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

// A Meter makes calls and records how long they take. Any goroutine may use it.
type Meter struct {
	mu   sync.Mutex
	took []time.Duration
	off  int // calls that did not run on the main thread
}

// Call runs f on the main thread and waits for it. It returns false when the main thread takes no more calls.
func (m *Meter) Call(f func()) bool {
	start, on := time.Now(), false
	if !mainthread.Call(func() { on = mainthread.On(); f() }) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took = append(m.took, time.Since(start))
	if !on {
		m.off++
	}
	return true
}

func (m *Meter) String() string {
	m.mu.Lock()
	off, took := m.off, slices.Sorted(slices.Values(m.took))
	m.mu.Unlock()
	n := len(took)
	if n == 0 {
		return "no calls"
	}
	return fmt.Sprintf("%d calls, %d of them on the main thread, median %v, 99th percentile %v",
		n, n-off, took[n/2].Round(100*time.Nanosecond), took[n*99/100].Round(100*time.Nanosecond))
}
