package engine

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/rig/testutil"
)

func hasTimerfd() bool {
	deadlines.mu.Lock()
	defer deadlines.mu.Unlock()
	return deadlines.file != nil
}

// The timerfd is there while a clock is armed, and its end or failure leaves the clocks to their
// timers.
func TestDeadlines_close(t *testing.T) {
	e, _ := New(0)
	e.Start(nil, false)
	defer e.Terminate()
	for range 3 {
		far := e.After(time.Hour, func() {}, nil)
		var ran atomic.Int32
		c := e.Every(time.Millisecond, func() { ran.Add(1) }, nil)
		if !hasTimerfd() {
			t.Skip("the system refuses a timerfd")
		}
		testutil.Eventually(t, func() bool { return ran.Load() > 3 }, "it ticks")
		deadlines.mu.Lock()
		file := deadlines.file
		deadlines.mu.Unlock()
		file.Close()
		n := ran.Load()
		testutil.Eventually(t, func() bool { return ran.Load() > n+3 }, "it ticks without the timerfd")
		testutil.Eventually(t, func() bool { return !hasTimerfd() }, "the timerfd is given up")
		deadlines.mu.Lock()
		deadlines.refused = false
		deadlines.mu.Unlock()
		testutil.Eventually(t, hasTimerfd, "there is a new timerfd")
		c.Stop()
		far.Stop()
		testutil.Eventually(t, func() bool { return !hasTimerfd() }, "the timerfd is closed")
	}
}
