package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// The loop that reads events is no function that runs: an idle program shows nothing, neither what
// runs nor a slow call nor load.
func TestLoop_isNoFunctionThatRuns(t *testing.T) {
	main := mainthread.Thread()
	slow := make(chan thread.SlowCall, 10)
	main.OnSlowCall(100*time.Millisecond, func(s thread.SlowCall) {
		if strings.Contains(s.Stack, ".waitForEvents(") { // and not in Init, on a busy machine
			slow <- s
		}
	})
	defer main.OnSlowCall(0, nil)
	begin(t)
	testutil.Eventually(t, func() bool { return main.Stats().Running == 0 }, "the loop is idle")
	busy, begun := main.Stats().Busy, time.Now()
	time.Sleep(500 * time.Millisecond)
	if load := float64(main.Stats().Busy-busy) / float64(time.Since(begun)); load > 0.5 {
		t.Errorf("an idle loop is busy for %.0f %% of the time", 100*load)
	}
	select {
	case s := <-slow:
		t.Errorf("an idle loop is slow: %v", s)
	default:
	}
}
