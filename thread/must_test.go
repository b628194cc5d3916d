package thread_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// Where Call would return false and Eval a zero value, MustCall and MustEval panic with an error
// that says why.
func TestMust(t *testing.T) {
	type must struct {
		call func(func())
		eval func(func() int) int
		way
	}
	th, p, other := start(t, thread.WithName("gl")), startPool(t, 1), start(t)
	evalOn := func(on thread.Caller) func(func() int) int {
		return func(f func() int) int { return thread.MustEval(on, f) }
	}
	for name, m := range map[string]must{
		`thread "gl"`: {th.MustCall, evalOn(th), ofThread(th)},
		"a pool":      {p.MustCall, evalOn(p), ofPool(p)},
		"a Caller":    {other.MustCall, evalOn(caller{other}), ofThread(other)},
	} {
		calls := map[string]func(f func()){
			"MustCall": m.call,
			"MustEval": func(f func()) { m.eval(func() int { f(); return 0 }) },
		}
		refuses := func(because error) {
			t.Helper()
			for call, run := range calls {
				v := recovered(func() { run(func() { t.Errorf("%s, %s: it ran", name, call) }) })
				err, _ := v.(error)
				if !errors.Is(err, because) ||
					name != "a Caller" && !strings.Contains(err.Error(), call+" on "+name) {
					t.Errorf("%s, %s panics with %v, want %v", name, call, v, because)
				}
			}
		}
		for _, f := range []func(){func() { m.call(nil) }, func() { m.eval(nil) }} {
			if err, _ := recovered(f).(error); !errors.Is(err, thread.ErrNil) {
				t.Errorf("%s: a nil function panics with %v", name, err)
			}
		}
		for call, run := range calls {
			ran := 0
			run(func() { ran++; run(func() { ran++ }) }) // and in place
			if ran != 2 {
				t.Errorf("%s, %s: %d functions ran, want 2", name, call, ran)
			}
			mustPanic(t, func() { run(func() { panic("its own") }) }, "its own")
			exits(t, func() { run(runtime.Goexit) })
		}
		m.call(func() {
			m.terminate()
			refuses(thread.ErrTerminated) // on the thread
		})
		refuses(thread.ErrTerminated)
	}
}

// A caller is a Caller that is neither a Thread nor a Pool.
type caller struct{ *thread.Thread }

func (c caller) CallContext(ctx context.Context, f func()) error {
	return c.Thread.CallContext(ctx, f)
}

// The caller of a queued function that Terminate refuses panics, too.
func TestMust_queued(t *testing.T) {
	th := start(t)
	busy := occupy(t, th.Go)
	refused := make(chan any)
	go func() { refused <- recovered(func() { th.MustCall(func() { t.Error("it ran") }) }) }()
	go func() {
		refused <- recovered(func() { thread.MustEval(th, func() int { t.Error("it ran"); return 0 }) })
	}()
	th.Terminate()
	for range 2 {
		if err, _ := (<-refused).(error); !errors.Is(err, thread.ErrTerminated) {
			t.Errorf("it panics with %v", err)
		}
	}
	busy.Open()
}
