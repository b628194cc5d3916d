//go:build go1.25

package thread_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// In bubbles, however long the machine stops between two lines.

func hang(release chan bool) { <-release }

func queueAHang(post func(func()) bool, release chan bool) { post(func() { hang(release) }) }

func TestWithSlowCall_reportsWhereTheFunctionIsAndWasQueued(t *testing.T) {
	for name, post := range map[string]func(r runner, f func()) bool{
		"Call": runner.Call, "Go": runner.Go, "Pool.Call": runner.Call, "Pool.Go": runner.Go,
		"MustEval": func(r runner, f func()) bool {
			return thread.MustEval(r, func() bool { f(); return true })
		},
		"CallContext": func(r runner, f func()) bool {
			return r.CallContext(context.Background(), f) == nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told, option := slowCalls()
				want := "slow"
				r := runner(start(t, thread.WithName(want), option))
				_, names := access.States()
				before := names[want].Slow
				if strings.HasPrefix(name, "Pool") {
					p := startPool(t, 2, thread.WithName(want))
					p.OnSlowCall(slow, tellRunning(told))
					r, want = p, "slow-"
				}
				release, tid := make(chan bool), make(chan uint64, 1)
				go queueAHang(func(f func()) bool {
					return post(r, func() { tid <- here(); f() })
				}, release)
				s, its := testutil.Arrives(t, told), <-tid
				close(release)
				if !strings.HasPrefix(s.Name, want) || s.TID != its {
					t.Errorf("told of thread %q, %d; want %q, %d", s.Name, s.TID, want, its)
				}
				if s.Running != slow {
					t.Errorf("told after %v", s.Running)
				}
				if _, names := access.States(); names["slow"].Slow != before+1 {
					t.Errorf("%d slow calls are counted, want 1", names["slow"].Slow-before)
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
				noneOf(t, told)
			})
		})
	}
}

// noneOf fails the test if it is told of a call.
func noneOf(t *testing.T, told chan thread.SlowCall) {
	t.Helper()
	time.Sleep(3 * slow)
	for len(told) > 0 {
		t.Errorf("told once more: %v", <-told)
	}
}

func TestOnSlowCall_replacesWhatWasSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, option := slowCalls()
		th := start(t, option)
		second := make(chan thread.SlowCall, 10)
		th.OnSlowCall(slow, func(s thread.SlowCall) {
			th.OnSlowCall(0, nil) // may use the thread
			second <- s
		})
		th.Call(func() { time.Sleep(3 * slow) })
		testutil.Arrives(t, second)
		th.Call(func() { time.Sleep(2 * slow) })
		noneOf(t, first)
		noneOf(t, second)
		th = start(t, thread.WithSlowCall(0,
			func(thread.SlowCall) { t.Error("told with a limit of zero") }),
			thread.WithSlowCall(time.Millisecond, nil))
		th.Call(func() { time.Sleep(3 * time.Millisecond) })
	})
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
			synctest.Test(t, func(t *testing.T) { reportsNoIdleLoop(t, name, loop) })
		})
	}
}

func reportsNoIdleLoop(t *testing.T, name string, loop func(h *thread.Loop, ctx context.Context)) {
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
	noneOf(t, told)
	inside := make(chan bool)
	h.Go(func() { hang(inside) })
	s := testutil.Arrives(t, told)
	if close(inside); !strings.Contains(s.Stack, "thread_test.hang(") {
		t.Errorf("reported\n%v", s)
	}
	noneOf(t, told)
	if end(); !strings.Contains(name, "native") {
		s = testutil.Arrives(t, told)
		if !strings.Contains(s.Stack, "thread_test.hang(") {
			t.Errorf("after the loop, reported\n%v", s)
		}
	}
	close(release)
	testutil.Arrives(t, ended)
}
