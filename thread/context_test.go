package thread_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/rig/testutil"
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
func TestCallContext_returnsTheCauseOfADoneContext(t *testing.T) {
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

// A lockedContext is a context of another package, with a lock that its user holds as well.
type lockedContext struct {
	context.Context
	mu    sync.Mutex
	asked atomic.Bool
}

func (c *lockedContext) Err() error {
	c.asked.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Context.Err()
}

// Terminate looks at no context.
func TestTerminate_looksAtNoContext(t *testing.T) {
	for name, w := range contextWays(t) {
		ctx := &lockedContext{Context: t.Context()}
		busy := occupy(t, w.Go)
		w.Stats()
		returned := make(chan error, 1)
		go func() { returned <- w.callContext(ctx, nop) }()
		eventually(t, func() bool { return w.Stats().Queued == 1 }, "%s: the call is queued", name)
		ctx.mu.Lock()
		ends(t, w.Terminate)
		ctx.mu.Unlock()
		if err := testutil.Arrives(t, returned); err != thread.ErrTerminated {
			t.Errorf("%s: returned %v", name, err)
		}
		busy.Open()
	}
}

// The thread looks at a context when its function begins, and holds no lock that a poster needs.
func TestGoContext_looksAtTheContextWithoutALock(t *testing.T) {
	for name, w := range contextWays(t) {
		parent, cancel := context.WithCancel(t.Context())
		ctx := &lockedContext{Context: parent}
		busy := occupy(t, w.Go)
		var ran, last atomic.Bool
		w.GoContext(ctx, func() { ran.Store(true) })
		cancel()
		ends(t, func() {
			ctx.mu.Lock()
			ctx.asked.Store(false)
			busy.Open()
			eventually(t, ctx.asked.Load, "%s: the thread looks at the context", name)
			other, cancel := context.WithCancel(context.Background())
			defer cancel()
			w.GoContext(other, func() { last.Store(true) })
			ctx.mu.Unlock()
			w.Call(nop)
		})
		if ran.Load() || !last.Load() {
			t.Errorf("%s: of a context that had ended, the function ran: %v; of another: %v", name,
				ran.Load(), last.Load())
		}
	}
}
