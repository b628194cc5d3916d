package thread_test

import (
	"context"
	"errors"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// contextWays are the calls that a context ends, of threads and of pools.
func contextWays(t *testing.T) map[string]contextWay {
	th, p, e, fails := start(t), startPool(t, 1), start(t), startPool(t, 1)
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
		"EvalContext of an error": {fails, func(ctx context.Context, f func()) error {
			failed, err := thread.EvalContext(ctx, fails,
				func() error { f(); return errors.ErrUnsupported })
			if (failed == errors.ErrUnsupported) != (err == nil) {
				t.Errorf("EvalContext returned %v, %v", failed, err)
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

// A silentContext is done when the channel is closed, and does not say why.
type silentContext struct {
	context.Context
	done chan struct{}
}

func (c silentContext) Done() <-chan struct{} { return c.done }

func TestCallContext_returnsAnErrorForAContextThatGivesNone(t *testing.T) {
	for name, w := range contextWays(t) {
		ctx := silentContext{t.Context(), make(chan struct{})}
		busy := occupy(t, w.Go)
		returned, posted := make(chan error, 1), false
		go func() { returned <- w.callContext(ctx, func() { t.Errorf("%s: the function ran", name) }) }()
		eventually(t, func() bool { return w.Stats().Queued == 1 }, "%s: the call is queued", name)
		w.GoContext(ctx, func() { posted = true })
		close(ctx.done)
		if err := testutil.Arrives(t, returned); err != context.Canceled {
			t.Errorf("%s: returned %v", name, err)
		}
		busy.Open()
		if w.Call(nop); posted {
			t.Errorf("%s: the function of GoContext ran", name)
		}
		adopted(t, func(h *host) {
			if err := h.loop.ServeContext(ctx); err != context.Canceled {
				t.Errorf("ServeContext returned %v", err)
			}
		})
	}
}

// A mutedContext is done when it is to be, and has no channel that says so.
type mutedContext struct {
	context.Context
	over atomic.Bool
}

func (c *mutedContext) Err() error {
	if c.over.Load() {
		return context.DeadlineExceeded
	}
	return nil
}

// A context that ends while its function is queued, without notice, is noticed by the thread.
func TestCallContext_returnsTheErrorThatTheThreadSees(t *testing.T) {
	for name, w := range contextWays(t) {
		ctx := &mutedContext{Context: context.Background()}
		busy := occupy(t, w.Go)
		returned := make(chan error, 1)
		go func() { returned <- w.callContext(ctx, func() { t.Errorf("%s: the function ran", name) }) }()
		eventually(t, func() bool { return w.Stats().Queued == 1 }, "%s: the call is queued", name)
		ctx.over.Store(true)
		busy.Open()
		err := testutil.Arrives(t, returned)
		if n := w.Stats().Withdrawn; err != context.DeadlineExceeded || n != 1 {
			t.Errorf("%s: returned %v, and %d functions count as withdrawn", name, err, n)
		}
	}
}

func TestServeContext_endsWithAContextThatGivesNoError(t *testing.T) {
	h := adopt(t)
	ctx := silentContext{t.Context(), make(chan struct{})}
	served := make(chan error, 1)
	go h.do(func() { served <- h.loop.ServeContext(ctx) })
	h.Call(nop) // inside ServeContext
	close(ctx.done)
	if err := testutil.Arrives(t, served); err != context.Canceled {
		t.Errorf("ServeContext returned %v", err)
	}
}

// A faultyContext panics when its methods are called for the nth time, on any goroutine.
type faultyContext struct {
	context.Context
	left atomic.Int32
}

func (c *faultyContext) count() {
	if c.left.Add(-1) == 0 {
		panic(errBoom)
	}
}

func (c *faultyContext) Err() error            { c.count(); return c.Context.Err() }
func (c *faultyContext) Done() <-chan struct{} { c.count(); return c.Context.Done() }
func (c *faultyContext) Value(key any) any     { c.count(); return c.Context.Value(key) }

// A panic of a context reaches the caller, or is reported if the thread has met it in a function of
// GoContext, and nothing is lost: no call, no slot, no count.
func TestCallContext_panicsIfTheContextDoes(t *testing.T) {
	labelled := pprof.WithLabels(context.Background(), pprof.Labels("a", "b"))
	for _, parent := range []context.Context{context.Background(), labelled} {
		for _, observed := range []bool{false, true} {
			limited := thread.WithQueueLimit(1)
			kept, keep := keepPanics()
			opts := []thread.Option{limited, keep}
			if observed {
				opts = append(opts, thread.WithTimes())
			}
			th, p, other := start(t, opts...), startPool(t, 1, opts...), start(t)
			for _, w := range []interface {
				runner
				CallContext(context.Context, func()) error
			}{th, p} {
				panics := 0
				for n := int32(1); n < 40; n++ {
					for way, use := range map[string]func(context.Context, func()) bool{
						"CallContext": func(ctx context.Context, f func()) bool {
							return w.CallContext(ctx, f) == nil
						},
						"CallContext on a thread": func(ctx context.Context, f func()) (ok bool) {
							other.Call(func() { ok = w.CallContext(ctx, f) == nil })
							return ok
						},
						"GoContext": func(ctx context.Context, f func()) bool {
							defer w.Call(nop)
							return w.GoContext(ctx, f) == nil
						},
						"CallContext on the thread": func(ctx context.Context, f func()) (ok bool) {
							w.Call(func() { ok = w.CallContext(ctx, f) == nil })
							return ok
						},
					} {
						ctx, cancel := context.WithCancel(parent)
						faulty := &faultyContext{Context: ctx}
						faulty.left.Store(n)
						ran, ok := false, false
						var v any = "a Goexit" // unless use returns or panics
						ends(t, func() { v = recovered(func() { ok = use(faulty, func() { ran = true }) }) })
						cancel()
						if reported := kept.take(); reported != nil {
							if way != "GoContext" || v != nil {
								t.Fatalf("%s: reported %v, recovered %v", way, reported, v)
							}
							v, ok = reported.Value, ran
						}
						if v != nil && v != errBoom || v == nil && ok != ran {
							t.Fatalf("%s, %d: recovered %v, returned %v, ran %v", way, n, v, ok, ran)
						}
						if v != nil {
							panics++
						}
						// the slot is free
						if !w.Call(nop) || !w.TryGo(nop) || !w.Call(nop) {
							t.Fatalf("%s, %d: a function is refused", way, n)
						}
					}
				}
				if panics < 4*4 {
					t.Errorf("only %d panics", panics)
				}
				if s := w.Stats(); s.Queued != 0 || s.Running != 0 {
					t.Errorf("%d queued, running for %v", s.Queued, s.Running)
				}
			}
		}
	}
}
