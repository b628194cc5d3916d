package thread_test

import (
	"io"
	"runtime"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// What the trace then has is tested where one can be read, in cmd/threadcall/internal/trace/source.

// record records an execution trace until the test ends, or go test does already.
func record(t *testing.T) {
	t.Helper()
	if trace.IsEnabled() {
		return
	}
	if err := trace.Start(io.Discard); err != nil {
		t.Skip(err)
	}
	t.Cleanup(trace.Stop)
}

// Recordings begin and end while calls are queued and run. What holds while one is recorded all the time, go test -trace shows.
func TestTrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("a trace is recorded already")
	}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			if trace.Start(io.Discard) == nil {
				time.Sleep(time.Millisecond)
				trace.Stop()
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for _, w := range []way{wayOf(start(t, thread.WithSlowCall(time.Hour, func(thread.SlowCall) {}))), wayOf(startPool(t, 1))} {
		for range scaled(300) {
			ran := 0
			w.post(func() { ran++ })
			if !w.call(func() { w.call(func() { ran++ }) }) || ran != 2 {
				t.Fatalf("ran %d times instead of 2", ran)
			}
			if v := recovered(func() { w.call(func() { panic("boom") }) }); v != "boom" {
				t.Fatalf("recovered %v", v)
			}
			if _, returned := exits(t, func() { w.call(runtime.Goexit) }); returned {
				t.Fatal("Goexit did not end the caller's goroutine")
			}
			w.post(func() { panic("posted") })
			w.post(runtime.Goexit)
			w.call(nop)
			if p := w.TakePanic(); p == nil || p.Value != "posted" {
				t.Fatalf("the panic of a posted function is %v", p)
			}
		}
	}
}

// A report of a crash is to name what the program called, not how it was traced.
func TestTrace_stacks(t *testing.T) {
	record(t)
	th := start(t)
	th.Go(func() { panic("here") })
	th.Call(nop)
	th.Call(func() { th.Call(func() { th.Go(func() { panic("here, too") }) }) })
	th.Call(nop)
	for range 2 {
		err := th.TakePanic()
		if err == nil {
			t.Fatal("no panic")
		}
		functions := functionsOf(err.Stack())
		if !strings.Contains(functions, "thread_test.TestTrace_stacks") || strings.Contains(functions, "mark") ||
			strings.Contains(functions, "runtime/trace") {
			t.Error(err.Stack())
		}
	}
}
