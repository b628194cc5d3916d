package thread_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
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

// A post that waits for a place gives up with its context, and one that is withdrawn gives its
// place back when the thread comes to it.
func TestGoContext_limit(t *testing.T) {
	for name, w := range both(t, thread.WithQueueLimit(1)) {
		other := start(t)
		for from, run := range map[string]func(func()){
			"a goroutine": func(f func()) { f() }, "a thread": func(f func()) { other.Call(f) },
		} {
			ran := 0
			busy := occupy(t, w.Go)
			ctx, cancel := context.WithCancel(context.Background())
			w.GoContext(ctx, func() { ran++ })
			refused := make(chan bool)
			go run(func() { refused <- !w.GoContext(ctx, func() { ran++ }) })
			time.Sleep(time.Millisecond)
			cancel()
			if !testutil.Arrives(t, refused) {
				t.Errorf("%s: from %s: taken, although the context ended while it waited for a place",
					name, from)
			}
			busy.Open()
			for range 3 { // or a place was not given back
				ends(t, func() { w.Go(nop) })
			}
			if w.Call(nop); ran != 0 {
				t.Errorf("%s: from %s: a withdrawn function runs", name, from)
			}
		}
	}
}
