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

// recordNowAndThen begins and ends traces until the test ends.
func recordNowAndThen(t *testing.T) {
	if trace.IsEnabled() {
		return
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
	t.Cleanup(func() { close(stop); <-stopped })
}

func TestTrace(t *testing.T) {
	for name, begin := range map[string]func(*testing.T){"all the time": record, "now and then": recordNowAndThen} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			th, p := start(t, thread.WithSlowCall(time.Hour, func(thread.SlowCall) {})), startPool(t, 2)
			for range scaled(100) {
				for _, call := range []func(func()) bool{
					th.Call,
					p.Call,
					func(f func()) bool { return th.CallContext(t.Context(), f) == nil },
					func(f func()) bool { return p.CallContext(t.Context(), f) == nil },
				} {
					ran := 0
					nested := func() { call(func() { ran++ }) }
					if !call(func() { ran++; nested() }) || ran != 2 {
						t.Fatalf("ran %d times instead of 2", ran)
					}
					if v := recovered(func() { call(func() { panic(nested) }) }); v == nil {
						t.Fatal("the panic is lost")
					}
					if _, returned := exits(t, func() { call(runtime.Goexit) }); returned {
						t.Fatal("Goexit did not end the caller's goroutine")
					}
				}
				var order []int
				for i := range 5 {
					th.Go(func() { order = append(order, i) })
				}
				th.Call(func() { order = append(order, 5) })
				for i, got := range order {
					if i != got {
						t.Fatalf("ran in the order %v", order)
					}
				}
				th.Go(func() { panic("posted") })
				th.Go(runtime.Goexit)
				th.Call(nop)
				if err := th.TakePanic(); err == nil || !strings.Contains(err.Error(), "posted") {
					t.Fatalf("the panic of a posted function is %v", err)
				}
			}
		})
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

// What a call allocates while a trace is recorded is the task of package trace, two small objects, and nothing of ours.
func TestTrace_allocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	record(t)
	task := allocations(2, func() { _, task := trace.NewTask(t.Context(), "test"); task.End() })
	th, p := start(t), startPool(t, 2)
	nest := func() { th.Call(nop) }
	for name, c := range map[string]struct {
		f     func()
		tasks float64
	}{
		"Call":      {func() { th.Call(nop) }, 1},
		"Go":        {func() { th.Go(nop); th.Call(nop) }, 2},
		"Pool.Call": {func() { p.Call(nop) }, 1},
		"nested":    {func() { th.Call(nest) }, 1},
	} {
		if limit := c.tasks*task + 0.1; allocations(limit, c.f) > limit {
			t.Errorf("%s allocates more than %v times, with %v a task", name, limit, task)
		}
	}
}
