package thread_test

import (
	"context"
	"errors"
	"slices"
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
	soon := func(cancel func()) { time.AfterFunc(5*time.Millisecond, cancel) }
	for name, w := range contextWays(t) {
		busy := occupy(t, w.Go)
		var ran atomic.Bool
		for how, want := range map[string]error{"deadline": context.DeadlineExceeded,
			"cancel": context.Canceled, "cancel with a cause": errCause, "done already": errCause} {
			ctx, cancel := context.WithCancelCause(t.Context())
			switch how {
			case "deadline":
				var stop func()
				ctx, stop = context.WithTimeout(ctx, 5*time.Millisecond)
				defer stop()
			case "cancel":
				soon(func() { cancel(nil) })
			case "cancel with a cause":
				soon(func() { cancel(errCause) })
			case "done already":
				cancel(errCause)
			}
			ends(t, func() {
				if err := w.callContext(ctx, func() { ran.Store(true) }); err != want {
					t.Errorf("%s, %s: returned %v, want %v", name, how, err, want)
				}
			})
			cancel(nil)
		}
		busy.Open()
		if w.Call(nop); ran.Load() {
			t.Errorf("%s: a function ran although its caller was told that it did not", name)
		}
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
	}
}
