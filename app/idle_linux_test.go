package app_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

// sleeps returns how often the main thread has gone to sleep.
func sleeps(t *testing.T) (n int) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/status", os.Getpid()))
	if err != nil {
		t.Skip("no /proc to see a thread sleep: ", err)
	}
	_, rest, _ := strings.Cut(string(b), "\nvoluntary_ctxt_switches:")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Skip("the system does not count the sleeps of a thread")
	}
	return n
}

// A program whose windows need not be drawn sleeps: a loop that polls 30 times a second wakes 60 times here.
func TestAnIdleProgramSleeps(t *testing.T) {
	_, c := show(t, app.OnDemand())
	frames := c.steady(t)
	mainthread.Call(func() {})
	time.Sleep(100 * time.Millisecond)
	before, used := sleeps(t), processorTime()
	time.Sleep(2 * time.Second)
	n, used := sleeps(t)-before, processorTime()-used
	t.Logf("in 2 s the main thread woke %d times, and the process used %v", n, used)
	if n > 6 {
		t.Errorf("in 2 s in which nothing happened the main thread woke %d times", n)
	}
	if got := c.n.Load(); got != frames {
		t.Errorf("%d frames were drawn", got-frames)
	}
}
