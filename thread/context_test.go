package thread_test

import (
	"context"
	"errors"
	"strings"
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
		"Thread.CallContext": {wayOf(th), th.CallContext},
		"Pool.CallContext":   {wayOf(p), p.CallContext},
		"EvalContext": {wayOf(e), func(ctx context.Context, f func()) error {
			v, err := thread.EvalContext(ctx, e, func() int { f(); return 42 })
			if (v == 42) != (err == nil) {
				t.Errorf("EvalContext returned %d, %v", v, err)
			}
			return err
		}},
	}
}

type contextWay struct {
	way
	callContext func(ctx context.Context, f func()) error
}

// When a context is done before the function begins, that does not run, and the cause is returned.
func TestCallContext_done(t *testing.T) {
	errCause := errors.New("the user has closed the window")
	for name, w := range contextWays(t) {
		busy := occupy(t, w.post)
		var ran atomic.Bool
		for _, c := range []struct {
			name string
			make func() (context.Context, context.CancelFunc)
			want error
		}{
			{"deadline", func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), 5*time.Millisecond)
			}, context.DeadlineExceeded},
			{"cancel", func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(5*time.Millisecond, cancel)
				return ctx, cancel
			}, context.Canceled},
			{"cancel with a cause", func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Millisecond, func() { cancel(errCause) })
				return ctx, func() { cancel(nil) }
			}, errCause},
			{"done already", func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(errCause)
				return ctx, func() {}
			}, errCause},
		} {
			ctx, cancel := c.make()
			ends(t, func() {
				if err := w.callContext(ctx, func() { ran.Store(true) }); err != c.want {
					t.Errorf("%s, %s: returned %v, want %v", name, c.name, err, c.want)
				}
			})
			cancel()
		}
		busy.Open()
		if w.call(nop); ran.Load() {
			t.Errorf("%s: a function ran although its caller was told that it did not", name)
		}
		w.Terminate()
		if err := w.callContext(t.Context(), nop); err != thread.ErrTerminated {
			t.Errorf("%s: on a terminated thread it returned %v", name, err)
		}
	}
}

func TestCallContext_silent(t *testing.T) {
	for name, w := range contextWays(t) {
		parent, cancel := context.WithCancel(t.Context()) // which is not done, and so has no cause
		defer cancel()
		busy := occupy(t, w.post)
		ctx := &silentContext{Context: parent}
		result := make(chan error)
		go func() {
			result <- w.callContext(ctx, func() { t.Errorf("%s: the function ran after its context was done", name) })
		}()
		time.Sleep(5 * time.Millisecond)
		ctx.done.Store(true)
		busy.Open()
		if err := testutil.Arrives(t, result); err != context.Canceled {
			t.Errorf("%s: returned %v, want %v", name, err, context.Canceled)
		}
	}
}

// A silentContext becomes done without telling those who wait.
type silentContext struct {
	context.Context
	done atomic.Bool
}

func (c *silentContext) Done() <-chan struct{} { return nil }

func (c *silentContext) Err() error {
	if c.done.Load() {
		return context.Canceled
	}
	return nil
}

func TestCallContext_nested(t *testing.T) {
	for name, w := range contextWays(t) {
		done, cancel := context.WithCancel(t.Context())
		cancel()
		w.call(func() {
			if err := w.callContext(done, func() { t.Error("ran after its context was done") }); err != context.Canceled {
				t.Errorf("%s: returned %v", name, err)
			}
			ran := false
			if err := w.callContext(t.Context(), func() { ran = true }); err != nil || !ran {
				t.Errorf("%s: ran: %v, error: %v", name, ran, err)
			}
			if strings.Contains(name, "Pool") {
				return // it promises no order
			}
			ctx, cancel := context.WithCancel(t.Context())
			w.post(cancel)
			if err := w.callContext(ctx, func() { t.Error("ran after its context was done") }); err != context.Canceled {
				t.Errorf("%s: returned %v after what was posted had cancelled it", name, err)
			}
		})
	}
}

var spun atomic.Int64

func spin(n int) {
	for range n {
		spun.Add(1)
	}
}
