package thread_test

import (
	"bytes"
	"io"
	"runtime"
	"runtime/trace"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

const slow = 50 * time.Millisecond

// slowCalls are those that run, and not those that a busy machine does not come to.
func slowCalls() (chan thread.SlowCall, thread.Option) {
	told := make(chan thread.SlowCall, 100)
	return told, thread.WithSlowCall(slow, tellRunning(told))
}

func tellRunning(told chan thread.SlowCall) func(thread.SlowCall) {
	return func(s thread.SlowCall) {
		if s.Running > 0 {
			told <- s
		}
	}
}

// A call that is the go statement itself has no caller in the program.
func TestSlowCall_hasNoCallerInAGoStatement(t *testing.T) {
	told, option := slowCalls()
	th, release := start(t, option), make(chan bool)
	go th.Call(func() { <-release })
	s := testutil.Arrives(t, told)
	close(release)
	if s.Caller != "" || strings.Contains(s.String(), "queued by") {
		t.Errorf("the report is\n%s", s)
	}
}

// Recordings begin and end while calls are queued and run. What holds while one is recorded all the
// time, go test -trace shows.
func TestCalls_areTasksInATrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("a trace is recorded already")
	}
	for name, w := range both(t) {
		for what, call := range map[string]func(){
			"Call":                 func() { w.Call(nop) },
			"MustEval":             func() { thread.MustEval(w.runner, func() int { return 1 }) },
			"MustEval of an error": func() { thread.MustEval(w.runner, func() error { return nil }) },
		} {
			var recorded bytes.Buffer
			if err := trace.Start(&recorded); err != nil {
				t.Fatal(err)
			}
			call()
			trace.Stop()
			if !bytes.Contains(recorded.Bytes(), []byte("threadcall.Call")) {
				t.Errorf("a %s of a %s is no task", what, name)
			}
		}
	}
	var stop atomic.Bool
	var recording testutil.Group
	recording.Go(func() {
		for !stop.Load() {
			if trace.Start(io.Discard) == nil {
				time.Sleep(time.Millisecond)
				trace.Stop()
			}
		}
	})
	defer recording.Wait()
	defer stop.Store(true)
	for _, w := range both(t, thread.WithSlowCall(time.Hour, func(thread.SlowCall) {})) {
		for range scaled(300) {
			ran := 0
			w.post(func() { ran++ })
			if !w.call(func() { w.call(func() { ran++ }) }) || ran != 2 {
				t.Fatalf("ran %d times instead of 2", ran)
			}
			if v := recovered(func() { w.call(func() { panic("boom") }) }); v != "boom" {
				t.Fatalf("recovered %v", v)
			}
			exitsWith(t, "a call", func() { w.call(runtime.Goexit) })
		}
	}
}
