package engine

import (
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/rig/testutil"
)

func (c *Clock) timerfd() uintptr {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.precise.fd
}

// A clock that ticks has a timerfd until it is over, and does without one that fails.
func TestDeadline_ends(t *testing.T) {
	e, _ := New(0)
	e.Start(nil, false)
	defer e.Terminate()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector closes files, too
	before := timerfds()
	for _, fails := range []bool{false, true} {
		var ran atomic.Int32
		c := e.Every(time.Millisecond, func() { ran.Add(1) }, nil)
		if c.timerfd() == 0 {
			t.Skip("the system refuses a timerfd")
		}
		testutil.Eventually(t, func() bool { return ran.Load() > 3 }, "it ticks")
		if fails {
			c.mu.Lock()
			file := c.precise.file
			c.mu.Unlock()
			file.Close()
			testutil.Eventually(t, func() bool { return c.timerfd() == 0 }, "the timerfd is given up")
			n := ran.Load()
			testutil.Eventually(t, func() bool { return ran.Load() > n+3 }, "it ticks without it")
		}
		c.Stop()
		testutil.Eventually(t, func() bool { return c.timerfd() == 0 }, "the timerfd is given back")
	}
	testutil.Eventually(t, func() bool { return timerfds() <= before }, "they are closed")
}

// timerfds returns how many timerfds the process has open.
func timerfds() (n int) {
	files, _ := os.ReadDir("/proc/self/fd")
	for _, f := range files {
		if name, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.Contains(name, "timerfd") {
			n++
		}
	}
	return n
}
