package thread_test

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// A machine that stops for this long between two lines of a test makes it fail.
const slow = 100 * time.Millisecond

func slowCalls() (chan thread.SlowCall, thread.Option) {
	told := make(chan thread.SlowCall, 100)
	return told, thread.WithSlowCall(slow, func(s thread.SlowCall) { told <- s })
}

func hang(release chan bool) { <-release }

func queueAHang(post func(func()) bool, release chan bool) { post(func() { hang(release) }) }

func TestASlowCallIsToldWithWhereItIsAndWhoQueuedIt(t *testing.T) {
	told, option := slowCalls()
	th, p := start(t, thread.WithName("slow"), option), startPool(t, 2, thread.WithName("slow"), option)
	for name, w := range map[string]struct {
		post   func(func()) bool
		thread string
	}{
		"Call":        {th.Call, "slow"},
		"Eval":        {func(f func()) bool { return thread.Eval(th, func() bool { f(); return true }) }, "slow"},
		"CallContext": {func(f func()) bool { return th.CallContext(t.Context(), f) == nil }, "slow"},
		"Go":          {th.Go, "slow"},
		"Pool.Call":   {p.Call, "slow-"},
		"Pool.Go":     {p.Go, "slow-"},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan bool)
			var its uint64
			begun := make(chan bool)
			go queueAHang(func(f func()) bool { return w.post(func() { its = here(); close(begun); f() }) }, release)
			arrives(t, begun)
			s := arrives(t, told)
			close(release)
			if !strings.HasPrefix(s.Name, w.thread) || s.TID != its {
				t.Errorf("told of thread %q, %d; want %q, %d", s.Name, s.TID, w.thread, its)
			}
			if s.Running < slow || s.Running > patience {
				t.Errorf("told after %v", s.Running)
			}
			functions := functionsOf(s.Stack())
			if !strings.Contains(functions, "thread_test.hang(") || strings.Count(functions, "goroutine ") != 1 &&
				strings.Count(functions, "created by ") != 1 {
				t.Errorf("the thread is at:\n%s", s.Stack())
			}
			if first, _, _ := strings.Cut(s.Queued(), "\n"); !strings.Contains(s.Queued(), "thread_test.queueAHang") ||
				!strings.Contains(first, "thread_test.") {
				t.Errorf("queued by:\n%s", s.Queued())
			}
			if text := s.String(); !strings.Contains(text, s.Stack()) || !strings.Contains(text, s.Queued()) {
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
		if s := <-told; strings.Contains(s.Stack(), function) {
			t.Errorf("told once more: %v", s)
		}
	}
}

func TestEachOfNestedSlowCallsIsToldOnce(t *testing.T) {
	told, option := slowCalls()
	a, b := start(t, option), start(t)
	ends(t, func() {
		a.Call(func() {
			b.Call(func() { a.Call(func() { time.Sleep(2 * slow) }) }) // a cycle: a serves inside the call
			time.Sleep(2 * slow)
		})
	})
	arrives(t, told)
	arrives(t, told)
	noneOf(t, told, "time.Sleep(")
}

func TestASlowCallThatPanicsOrExitsIsOver(t *testing.T) {
	told, option := slowCalls()
	th := start(t, option)
	for range 3 {
		recovered(func() { th.Call(func() { panic("early") }) })
		ends(t, func() { th.Call(runtime.Goexit) })
	}
	noneOf(t, told, "engine.(*Engine).idle(")
	th.Go(func() { time.Sleep(3 * slow) })
	arrives(t, told)
}

func TestWhoIsToldCanBeChanged(t *testing.T) {
	first, option := slowCalls()
	th := start(t, option)
	var second atomic.Int32
	th.OnSlowCall(slow, func(s thread.SlowCall) {
		th.OnSlowCall(0, nil) // may use the thread
		if strings.Contains(s.Stack(), "TestWhoIsToldCanBeChanged") {
			second.Add(1)
		}
	})
	th.Call(func() { time.Sleep(3 * slow) })
	eventually(t, func() bool { return second.Load() == 1 }, "the second was not told")
	th.Call(func() { time.Sleep(2 * slow) })
	if second.Load() != 1 || len(first) != 0 {
		t.Errorf("told %d times, and the first %d times", second.Load(), len(first))
	}
}

func TestNobodyIsToldOfNothing(t *testing.T) {
	th := start(t, thread.WithSlowCall(0, func(thread.SlowCall) { t.Error("told with a limit of zero") }),
		thread.WithSlowCall(time.Millisecond, nil))
	th.Call(func() { time.Sleep(3 * time.Millisecond) })
}

func TestASlowCallInWhichACoroutineCallsIsToldOnce(t *testing.T) {
	needsCoroutines(t)
	told, option := slowCalls()
	th, p := start(t, option), startPool(t, 2, option)
	for _, call := range []func(func()) bool{th.Call, p.Call} {
		ends(t, func() {
			call(func() {
				for range pulled(func(yield func(int) bool) {
					call(func() { time.Sleep(2 * slow) }) // runs in place, and so is part of the call
					yield(0)
				}) {
				}
			})
		})
		arrives(t, told)
		noneOf(t, told, "time.Sleep(")
	}
}
