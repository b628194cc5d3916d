package thread_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
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
		if w.Call(nop); ran.Load() {
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
		busy := occupy(t, w.Go)
		ctx := &silentContext{Context: parent}
		result := make(chan error)
		go func() {
			result <- w.callContext(ctx, func() {
				t.Errorf("%s: the function ran after its context was done", name)
			})
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
		w.Call(func() {
			if err := w.callContext(done,
				func() { t.Error("ran after its context was done") }); err != context.Canceled {
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
			w.Go(cancel)
			if err := w.callContext(ctx,
				func() { t.Error("ran after its context was done") }); err != context.Canceled {
				t.Errorf("%s: returned %v after what was posted had cancelled it", name, err)
			}
		})
	}
}

// goContexts are the posts that a context withdraws.
func goContexts(t *testing.T, opts ...thread.Option) map[string]runner {
	return map[string]runner{"thread": start(t, opts...), "pool": startPool(t, 1, opts...)}
}

func TestGoContext(t *testing.T) {
	for name, w := range goContexts(t) {
		var ran []int
		post := func(ctx context.Context, i int) bool {
			return w.GoContext(ctx, func() { ran = append(ran, i) })
		}
		one, endOne := context.WithCancel(context.Background())
		two, endTwo := context.WithCancelCause(context.WithValue(one, &ran, 1))
		busy := occupy(t, w.Go)
		for i, ctx := range []context.Context{one, two, context.Background(), one, two} {
			if !post(ctx, i) {
				t.Errorf("%s: %d is refused", name, i)
			}
		}
		w.Go(func() { ran = append(ran, 5) })
		endTwo(errors.New("over"))
		if post(two, 6) || w.GoContext(one, nil) {
			t.Errorf("%s: taken, although the context has ended or the function is nil", name)
		}
		busy.Open()
		w.Call(nop)
		if want := []int{0, 2, 3, 5}; !slices.Equal(ran, want) {
			t.Errorf("%s: %v ran, want %v", name, ran, want)
		}
		endOne()
	}
}

// What is withdrawn is let go although the thread hangs, and so is what was posted to a thread that
// is terminated.
func TestGoContext_letGo(t *testing.T) {
	for name, w := range goContexts(t) {
		for _, how := range []string{"cancelled", "terminated"} {
			ctx, cancel := context.WithCancel(context.Background())
			busy := occupy(t, w.Go)
			captured(t, name+": what was posted and is "+how, func(f func()) {
				if w.GoContext(ctx, f); how == "cancelled" {
					cancel()
				} else {
					w.Terminate()
				}
			})
			busy.Open()
			cancel()
		}
	}
}

// A post that waits for a place gives up with its context, and one that is withdrawn gives its
// place back when the thread comes to it.
func TestGoContext_limit(t *testing.T) {
	for name, w := range goContexts(t, thread.WithQueueLimit(1)) {
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
		for range 3 {
			ctx := &endsLater{Context: context.Background(), done: make(chan struct{})}
			close(ctx.done)
			ends(t, func() {
				if w.GoContext(ctx, func() { t.Error("ran") }) {
					t.Errorf("%s: taken, although the context has ended", name)
				}
			})
		}
		ends(t, func() { w.Go(nop); w.Go(nop); w.Call(nop) })
	}
}

// A context that ends while Go waits for a place.
type endsLater struct {
	context.Context
	asked atomic.Int32
	done  chan struct{}
}

func (c *endsLater) Done() <-chan struct{} { return c.done }

func (c *endsLater) Err() error {
	if c.asked.Add(1) == 1 {
		return nil
	}
	return context.Canceled
}

// A context of another package, which context.AfterFunc follows with a goroutine.
type foreign struct{ context.Context }

func (foreign) Value(any) any { return nil }

func TestGoContext_foreign(t *testing.T) {
	before := runtime.NumGoroutine()
	th := thread.New()
	for range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		th.GoContext(foreign{ctx}, nop)
		defer cancel()
	}
	th.Call(nop)
	eventually(t, func() bool { return runtime.NumGoroutine() < before+30 },
		"few goroutines follow contexts whose functions have run")
	th.Close()
	eventually(t, func() bool { return runtime.NumGoroutine() <= before },
		"no goroutine follows a context for a thread that has ended")
}
