package engine

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/stack"
)

// A program that calls the main thread, but forgets to serve it, waits for ever: the commonest
// mistake is a test binary without TestMain. So a call that has waited for long says so, once in
// the process.

const (
	advice = "call mainthread.Init from main, as in func main() { mainthread.Init(run) }; " +
		"or from TestMain, as in " +
		"func TestMain(m *testing.M) { mainthread.Init(func() { os.Exit(m.Run()) }) }"
	// a variable of the environment: with a value, nothing is reported
	silencer = "THREADCALL_INIT_WARNING"
)

const unservedFor = 5 * time.Second

var unservedReported atomic.Bool

// reportUnserved reports the calling goroutine's call when it has waited for long and the thread is
// not served then either. The function that it returns ends that.
func (e *Engine) reportUnserved() (end func()) {
	var pcs [32]uintptr
	n := runtime.Callers(2, pcs[:])
	var over atomic.Bool
	report := func() {
		if over.Load() || e.served.Load() || os.Getenv(silencer) != "" ||
			!unservedReported.CompareAndSwap(false, true) {
			return
		}
		fmt.Fprintf(os.Stderr, "threadcall: a call made at %s has waited for %v for the main thread, "+
			"which nothing serves: %s (%s=off in the environment silences this)\n",
			stack.Caller(pcs[:n]), unservedFor, advice, silencer)
	}
	if !clock.InBubble() {
		timer := time.AfterFunc(unservedFor, report)
		return func() { timer.Stop() }
	}
	// A timer of the bubble would stand still. Cleanups run outside.
	runtime.AddCleanup(new([2]*byte), func(time.Duration) { time.AfterFunc(unservedFor, report) }, 0)
	runtime.GC()
	return func() { over.Store(true) }
}
