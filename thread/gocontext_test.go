package thread_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

type goContext func(context.Context, func()) bool

func goContexts(t *testing.T, opts ...thread.Option) map[string]struct {
	way
	post goContext
} {
	th, p := start(t, opts...), startPool(t, 1, opts...)
	return map[string]struct {
		way
		post goContext
	}{"thread": {wayOf(th), th.GoContext}, "pool": {wayOf(p), p.GoContext}}
}

func TestGoContext(t *testing.T) {
	for name, w := range goContexts(t) {
		t.Run(name, func(t *testing.T) {
			var ran []int
			post := func(ctx context.Context, i int) bool { return w.post(ctx, func() { ran = append(ran, i) }) }
			one, endOne := context.WithCancel(context.Background())
			two, endTwo := context.WithCancelCause(context.WithValue(one, &ran, 1))
			busy := occupy(t, w.way.post)
			for i, ctx := range []context.Context{one, two, context.Background(), one, two} {
				if !post(ctx, i) {
					t.Errorf("%d is refused", i)
				}
			}
			w.way.post(func() { ran = append(ran, 5) })
			endTwo(errors.New("over"))
			if post(two, 6) || w.post(one, nil) {
				t.Error("taken, although the context has ended or the function is nil")
			}
			busy.Open()
			w.call(nop)
			if want := []int{0, 2, 3, 5}; !slices.Equal(ran, want) {
				t.Errorf("%v ran, want %v", ran, want)
			}
			endOne()
		})
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

func TestGoContext_givesItsPlaceBack(t *testing.T) {
	for name, w := range goContexts(t, thread.WithQueueLimit(1)) {
		for range 3 {
			ctx := &endsLater{Context: context.Background(), done: make(chan struct{})}
			close(ctx.done)
			ends(t, func() {
				if w.post(ctx, func() { t.Error("ran") }) {
					t.Errorf("%s: taken, although the context has ended", name)
				}
			})
		}
		ends(t, func() { w.way.post(nop); w.way.post(nop); w.call(nop) })
	}
}

// adopted runs f on a thread that it adopts.
func adopted(t *testing.T, f func(*thread.Thread)) {
	t.Helper()
	ends(t, func() {
		th := thread.Adopt()
		defer th.Terminate()
		f(th)
	})
}

// What is withdrawn is let go although the thread hangs, and what has been posted to a thread that ends, too.
func TestGoContextLetsGoAtOnce(t *testing.T) {
	type large [1 << 20]byte
	for name, w := range goContexts(t) {
		for _, how := range []string{"cancelled", "terminated"} {
			ctx, cancel := context.WithCancel(context.Background())
			hang := make(chan struct{})
			w.way.post(func() { <-hang })
			captured := func() weak.Pointer[large] {
				in := new(large)
				w.post(ctx, func() { in[0]++ })
				return weak.Make(in)
			}()
			if how == "cancelled" {
				cancel()
			} else {
				w.Terminate()
			}
			eventually(t, func() bool { runtime.GC(); return captured.Value() == nil }, name+": what is "+how+" is collected")
			close(hang)
			cancel()
		}
	}
}

// A post that waits for a place gives up with its context, and one that is withdrawn gives its place back when the thread comes
// to it.
func TestGoContextWithAQueueLimit(t *testing.T) {
	for name, w := range goContexts(t, thread.WithQueueLimit(1)) {
		t.Run(name, func(t *testing.T) {
			other := start(t)
			ran := 0
			for from, run := range map[string]func(func()){
				"a goroutine": func(f func()) { f() }, "a thread": func(f func()) { other.Call(f) },
			} {
				busy := occupy(t, w.way.post)
				ctx, cancel := context.WithCancel(context.Background())
				w.post(ctx, func() { ran++ })
				refused := make(chan bool)
				go run(func() { refused <- !w.post(ctx, func() { ran++ }) })
				time.Sleep(time.Millisecond)
				cancel()
				if !testutil.Arrives(t, refused) {
					t.Errorf("from %s: taken, although the context ended while it waited for a place", from)
				}
				busy.Open()
				for range 3 { // or a place was not given back
					ends(t, func() { w.way.post(nop) })
				}
				if w.call(nop); ran != 0 {
					t.Error("a withdrawn function runs")
				}
			}
		})
	}
}

// A context of another package, which context.AfterFunc follows with a goroutine.
type foreign struct{ context.Context }

func (foreign) Value(any) any { return nil }

func TestGoContextWithForeignContexts(t *testing.T) {
	before := runtime.NumGoroutine()
	th := thread.New()
	for range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		th.GoContext(foreign{ctx}, nop)
		defer cancel()
	}
	th.Call(nop)
	eventually(t, func() bool { return runtime.NumGoroutine() < before+30 }, "few goroutines follow contexts whose functions have run")
	th.Close()
	eventually(t, func() bool { return runtime.NumGoroutine() <= before }, "no goroutine follows a context for a thread that has ended")
}

func TestServeFor(t *testing.T) {
	adopted(t, func(th *thread.Thread) {
		var ran []int
		woken := 0
		th.OnWake(func() { woken++ })
		post := func(n int) {
			for i := range n {
				th.Go(func() {
					ran = append(ran, i)
					for start := time.Now(); time.Since(start) < time.Millisecond; {
					}
				})
			}
		}
		post(10)
		woken = 0
		if n := th.ServeFor(0); n != 1 || len(ran) != 1 {
			t.Errorf("without time, %d functions run, want 1", n)
		}
		if woken == 0 {
			t.Error("the event loop is not notified of what is left")
		}
		if n := th.ServeFor(3 * time.Millisecond); n < 1 || n > 4 {
			t.Errorf("%d functions of 1 ms run in 3 ms", n)
		}
		done := len(ran)
		if n := th.ServeFor(time.Hour); n != 10-done {
			t.Errorf("%d functions run, want the other %d", n, 10-done)
		}
		if n := th.ServeFor(time.Hour); n != 0 {
			t.Errorf("%d functions run, and none is queued", n)
		}
		for i, v := range ran {
			if i != v {
				t.Errorf("they ran in the order %v", ran)
			}
		}
		var mu sync.Mutex // what is left, and what comes, by another goroutine
		got := 0
		for range 100 {
			th.Go(func() { mu.Lock(); got++; mu.Unlock() })
		}
		for served := 0; served < 100; {
			served += th.ServeFor(-1)
		}
		if got != 100 {
			t.Errorf("%d functions ran, want 100", got)
		}
	})
	mustPanic(t, func() { start(t).ServeFor(time.Second) }, "ServeFor")
}
