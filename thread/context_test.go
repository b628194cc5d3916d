package thread_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// contextWays are the calls that a context ends, of threads and of pools.
func contextWays(t *testing.T) map[string]contextWay {
	th, p, e := start(t), startPool(t, 1), start(t)
	return map[string]contextWay{
		"Thread.CallContext": {th, th.CallContext},
		"Pool.CallContext":   {p, p.CallContext},
		"EvalContext": {e, func(ctx context.Context, f func()) error {
			v, err := thread.EvalContext(ctx, e, func() int { f(); return 42 })
			if (v == 42) != (err == nil) {
				t.Errorf("EvalContext returned %d, %v", v, err)
			}
			return err
		}},
	}
}

type contextWay struct {
	runner
	callContext func(ctx context.Context, f func()) error
}

// When a context is done before the function begins, that does not run, and the cause is returned.
func TestCallContext_done(t *testing.T) {
	errCause := errors.New("the user has closed the window")
	for name, w := range contextWays(t) {
		busy := occupy(t, w.Go)
		var ran atomic.Bool
		late, stop := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer stop()
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { cancel(errCause) })
		for _, c := range []struct {
			ctx  context.Context
			want error
		}{{late, context.DeadlineExceeded}, {ctx, errCause}, {ctx, errCause}} { // once done already
			ends(t, func() {
				if err := w.callContext(c.ctx, func() { ran.Store(true) }); err != c.want {
					t.Errorf("%s: returned %v, want %v", name, err, c.want)
				}
			})
		}
		busy.Open()
		if w.Call(nop); ran.Load() {
			t.Errorf("%s: a function ran although its caller was told that it did not", name)
		}
	}
}
