package thread_test

import (
	"errors"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// A nil function does not run, and each way to give it to a thread says so: by false, by ErrNil, or
// by a panic with ErrNil.
func TestErrNil_isReportedByEveryCall(t *testing.T) {
	th, p, host := start(t), startPool(t, 1), adopt(t)
	for name, ok := range map[string]bool{
		"Thread.Call":     th.Call(nil),
		"Thread.Go":       th.Go(nil),
		"Thread.TryGo":    th.TryGo(nil),
		"Thread.Coalesce": th.Coalesce(nil)(),
		"BindGo1":         thread.BindGo1[int](th, nil)(1),
		"Coalesce1":       thread.Coalesce1[int](th, nil)(1),
		"Pool.Call":       p.Call(nil),
		"Pool.Go":         p.Go(nil),
		"Pool.TryGo":      p.TryGo(nil),
	} {
		if ok {
			t.Errorf("%s returned true", name)
		}
	}
	_, evaluated := thread.EvalContext[int](t.Context(), p, nil)
	for name, err := range map[string]error{
		"Thread.GoContext":   th.GoContext(t.Context(), nil),
		"Pool.GoContext":     p.GoContext(t.Context(), nil),
		"Thread.CallContext": th.CallContext(t.Context(), nil),
		"Pool.CallContext":   p.CallContext(t.Context(), nil),
		"EvalContext":        evaluated,
	} {
		if err != thread.ErrNil {
			t.Errorf("%s returned %v", name, err)
		}
	}
	for name, f := range map[string]func(){
		"Thread.MustCall": func() { th.MustCall(nil) },
		"Pool.MustCall":   func() { p.MustCall(nil) },
		"MustEval":        func() { thread.MustEval[int](th, nil) },
		"AfterFunc":       func() { th.AfterFunc(1, nil) },
		"Every":           func() { th.Every(1, nil) },
		"Bind1":           func() { thread.Bind1[int](th, nil) },
		"Bind3V":          func() { thread.Bind3V[int, int, int, error](th, nil) },
		"AddCleanup":      func() { thread.AddCleanup(th, new(texture), nil, 1) },
		"Wait":            func() { host.loop.Wait(nil) },
	} {
		if err, _ := recovered(f).(error); !errors.Is(err, thread.ErrNil) {
			t.Errorf("%s panicked with %v", name, err)
		}
	}
}
