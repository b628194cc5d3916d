package thread_test

import (
	"context"
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

// A machine that stops for this long between two lines of a test makes it fail.
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

func hang(release chan bool) { <-release }

func queueAHang(post func(func()) bool, release chan bool) { post(func() { hang(release) }) }

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

func TestWithSlowCall_reportsWhereTheFunctionIsAndWasQueued(t *testing.T) {
	told, option := slowCalls()
	th, p := start(t, thread.WithName("slow"), option), startPool(t, 2, thread.WithName("slow"))
	p.OnSlowCall(slow, tellRunning(told))
	for name, w := range map[string]struct {
		post   func(func()) bool
		thread string
	}{
		"Call": {th.Call, "slow"},
		"MustEval": {func(f func()) bool {
			return thread.MustEval(th, func() bool { f(); return true })
		}, "slow"},
		"CallContext": {func(f func()) bool { return th.CallContext(t.Context(), f) == nil }, "slow"},
		"Go":          {th.Go, "slow"},
		"Pool.Call":   {p.Call, "slow-"},
		"Pool.Go":     {p.Go, "slow-"},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan bool)
			var its uint64
			begun := make(chan bool)
			go queueAHang(func(f func()) bool {
				return w.post(func() { its = here(); close(begun); f() })
			}, release)
			testutil.Arrives(t, begun)
			s := testutil.Arrives(t, told)
			close(release)
			if !strings.HasPrefix(s.Name, w.thread) || s.TID != its {
				t.Errorf("told of thread %q, %d; want %q, %d", s.Name, s.TID, w.thread, its)
			}
			if s.Running < slow || s.Running > timeLimit {
				t.Errorf("told after %v", s.Running)
			}
			functions := functionsOf(s.Stack)
			if !strings.Contains(functions, "thread_test.hang(") || strings.Count(functions,
				"goroutine ") != 1 && strings.Count(functions, "created by ") != 1 {
				t.Errorf("the thread is at:\n%s", s.Stack)
			}
			if first, _, _ := strings.Cut(s.Caller, "\n"); !strings.Contains(s.Caller,
				"thread_test.queueAHang") || !strings.Contains(first, "thread_test.") {
				t.Errorf("queued by:\n%s", s.Caller)
			}
			if text := s.String(); !strings.Contains(text, s.Stack) || !strings.Contains(text,
				s.Caller) || s.Name != "" && !strings.Contains(text, "("+s.Name+")") {
				t.Errorf("String leaves something out:\n%s", text)
			}
		})
	}
	noneOf(t, told, "thread_test.hang(")
}

// noneOf fails the test if it is told of a call in which a certain function runs.
func noneOf(t *testing.T, told chan thread.SlowCall, function string) {
	t.Helper()
	time.Sleep(slow + slow/2)
	for len(told) > 0 {
		if s := <-told; strings.Contains(s.Stack, function) {
			t.Errorf("told once more: %v", s)
		}
	}
}

func TestOnSlowCall_replacesWhatWasSet(t *testing.T) {
	first, option := slowCalls()
	th := start(t, option)
	second := make(chan thread.SlowCall, 10)
	th.OnSlowCall(slow, func(s thread.SlowCall) {
		if s.Running > 0 {
			th.OnSlowCall(0, nil) // may use the thread
			second <- s
		}
	})
	th.Call(func() { time.Sleep(3 * slow) })
	testutil.Arrives(t, second)
	th.Call(func() { time.Sleep(2 * slow) })
	noneOf(t, first, "")
	noneOf(t, second, "time.Sleep(")
	th = start(t, thread.WithSlowCall(0,
		func(thread.SlowCall) { t.Error("told with a limit of zero") }),
		thread.WithSlowCall(time.Millisecond, nil))
	th.Call(func() { time.Sleep(3 * time.Millisecond) })
}

// Recordings begin and end while calls are queued and run. What holds while one is recorded all the
// time, go test -trace shows.
func TestCalls_areTasksInATrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("a trace is recorded already")
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

// A loop inside a function stops the time of that function: what is idle in it is not slow, what
// hangs in it or after it is.
func TestWithSlowCall_reportsNoIdleLoop(t *testing.T) {
	for name, loop := range map[string]func(h *thread.Loop, ctx context.Context){
		"ServeContext": func(h *thread.Loop, ctx context.Context) { _ = h.ServeContext(ctx) },
		"Wait": func(h *thread.Loop, ctx context.Context) {
			woken := make(chan bool, 10)
			h.OnWake(func() { woken <- true })
			defer h.OnWake(nil)
			defer context.AfterFunc(ctx, func() { woken <- true })()
			for ctx.Err() == nil {
				h.Wait(func() { <-woken })
			}
		},
		"a native loop that calls Serve": func(h *thread.Loop, ctx context.Context) {
			woken := make(chan bool, 10)
			h.OnWake(func() { woken <- true })
			defer h.OnWake(nil)
			for {
				select {
				case <-woken:
					h.Serve(0)
				case <-ctx.Done():
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			told, option := slowCalls()
			ctx, end := context.WithCancel(t.Context())
			defer end()
			var h *thread.Thread
			adopted, ended, release := make(chan bool), make(chan bool), make(chan bool)
			go func() {
				defer close(ended)
				l := thread.Adopt(option)
				h = l.Thread()
				defer l.Close()
				close(adopted)
				outer, endOuter := context.WithCancel(t.Context())
				h.Go(func() {
					defer endOuter()
					loop(l, ctx)
					if !strings.Contains(name, "native") { // after which that is not known
						hang(release)
					}
				})
				_ = l.ServeContext(outer)
			}()
			testutil.Arrives(t, adopted)
			noneOf(t, told, "")
			inside := make(chan bool)
			h.Go(func() { hang(inside) })
			s := testutil.Arrives(t, told)
			if close(inside); !strings.Contains(s.Stack, "thread_test.hang(") {
				t.Errorf("reported\n%v", s)
			}
			noneOf(t, told, "")
			if end(); !strings.Contains(name, "native") {
				s = testutil.Arrives(t, told)
				if !strings.Contains(s.Stack, "thread_test.hang(") {
					t.Errorf("after the loop, reported\n%v", s)
				}
			}
			close(release)
			testutil.Arrives(t, ended)
		})
	}
}
