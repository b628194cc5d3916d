package engine

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

// A program that calls the main thread, but forgets to serve it, waits for ever: the commonest mistake is a test binary
// without TestMain. So a call that has waited for long says so, once in the process.

const (
	advice = "call mainthread.Init from main, as in func main() { mainthread.Init(run) }; or from TestMain, as in " +
		"func TestMain(m *testing.M) { mainthread.Init(func() { os.Exit(m.Run()) }) }"
	silencer = "THREADCALL_INIT_WARNING" // a variable of the environment: with a value, nothing is reported
)

const unservedFor = 5 * time.Second

var unservedReported atomic.Bool

// reportUnserved returns a timer that reports the calling goroutine's call when it has waited for long and the thread is
// not served then either.
func (e *Engine) reportUnserved() *time.Timer {
	var pcs [32]uintptr
	stack := pcs[:runtime.Callers(2, pcs[:])]
	return time.AfterFunc(unservedFor, func() {
		if e.served.Load() || os.Getenv(silencer) != "" || !unservedReported.CompareAndSwap(false, true) {
			return
		}
		fmt.Fprintf(os.Stderr, "threadcall: a call made at %s has waited for %v for the main thread, which nothing serves: %s (%s=off in the environment silences this)\n",
			callerOf(stack), unservedFor, advice, silencer)
	})
}
