//go:build go1.25

package thread_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// bubbled is what was made in a bubble.
type bubbled struct {
	th    *thread.Thread
	p     *thread.Pool
	timer *thread.Timer
	post  func() bool // of Coalesce
	loop  *thread.Loop
	later *thread.Thread
}

func newBubbled() *bubbled {
	limit := thread.WithQueueLimit(1)
	slow := thread.WithSlowCall(time.Hour, func(thread.SlowCall) {})
	b := &bubbled{th: thread.New(limit, slow), p: thread.NewPool(2, limit, slow)}
	b.timer = b.th.Every(time.Hour, nop)
	b.post = b.th.Coalesce(nop)
	b.loop = thread.NewLoop()
	b.later = b.loop.Thread()
	b.th.Call(nop)
	b.p.Call(nop)
	return b
}

func (b *bubbled) end() {
	b.later.Terminate()
	b.th.Close()
	b.p.Close()
}

// use are all methods, by name. What hands over a function reports whether that will run, or nil.
func (b *bubbled) uses(t *testing.T) map[string]func() any {
	does := func(f func()) func() any { return func() any { f(); return nil } }
	ran := func() { t.Error("a function runs") }
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	// off is for what panics off the thread, or does nothing once that has ended
	off := func(f func()) func() any {
		return func() any { recovered(f); return nil }
	}
	return map[string]func() any{
		"Thread.AfterFunc":   func() any { b.th.AfterFunc(0, ran).Stop(); return nil },
		"Thread.Assert":      off(b.th.Assert),
		"Thread.Call":        func() any { return b.th.Call(ran) },
		"Thread.CallContext": func() any { return b.th.CallContext(ctx, ran) == nil },
		"Thread.Close":       does(b.th.Close),
		"Thread.Coalesce":    func() any { b.th.Coalesce(ran); return b.post() },
		"Thread.Done":        does(func() { b.th.Done() }),
		"Thread.Every":       func() any { b.th.Every(time.Hour, ran).Missed(); return nil },
		"Thread.Go":          func() any { return b.th.Go(ran) },
		"Thread.GoContext":   func() any { return b.th.GoContext(ctx, ran) == nil },
		"Thread.ID":          does(func() { b.th.ID() }),
		"Thread.MustCall":    off(func() { b.th.MustCall(ran) }),
		"Thread.On":          func() any { return b.th.On() },
		"Thread.OnPanic":     does(func() { b.th.OnPanic(nil) }),
		"Thread.OnSlowCall":  does(func() { b.th.OnSlowCall(time.Hour, func(thread.SlowCall) {}) }),
		"Thread.Shutdown":    func() any { return b.th.Shutdown(ctx) != nil },
		"Thread.Stats":       does(func() { b.th.Stats(); b.later.Stats() }),
		"Thread.Terminate":   does(func() { b.th.Terminate(); b.later.Terminate() }),
		"Thread.TryGo":       func() any { return b.th.TryGo(ran) },
		"Pool.Call":          func() any { return b.p.Call(ran) },
		"Pool.CallContext":   func() any { return b.p.CallContext(ctx, ran) == nil },
		"Pool.Close":         does(b.p.Close),
		"Pool.Done":          does(func() { b.p.Done() }),
		"Pool.Go":            func() any { return b.p.Go(ran) },
		"Pool.GoContext":     func() any { return b.p.GoContext(ctx, ran) == nil },
		"Pool.ID":            does(func() { b.p.ID() }),
		"Pool.MustCall":      off(func() { b.p.MustCall(ran) }),
		"Pool.OnSlowCall":    does(func() { b.p.OnSlowCall(time.Hour, func(thread.SlowCall) {}) }),
		"Pool.OnPanic":       does(func() { b.p.OnPanic(nil) }),
		"Pool.Shutdown":      func() any { return b.p.Shutdown(ctx) != nil },
		"Pool.Stats":         does(func() { b.p.Stats() }),
		"Pool.Terminate":     does(b.p.Terminate),
		"Pool.TryGo":         func() any { return b.p.TryGo(ran) },
		"Timer.Missed":       does(func() { b.timer.Missed() }),
		"Timer.Stop":         func() any { return b.timer.Stop() },
		"Loop.Adopt":         func() any { return b.loop.Adopt() == nil },
	}
}

// reaching are the methods that must reach the thread.
var reaching = []string{"AfterFunc", "Call", "CallContext", "Close", "Every", "Go", "GoContext",
	"Shutdown", "Stop", "Terminate", "TryGo"}

// Outside a bubble, and in another one, what was made in it runs nothing. As long as it lives, what
// would have to reach it panics, and afterwards functions are refused.
func TestBubble_isUsedFromElsewhere(t *testing.T) {
	use := func(t *testing.T, b *bubbled, ended bool) {
		uses := b.uses(t)
		for _, of := range []any{b.th, b.p, b.timer} {
			for i := range reflect.TypeOf(of).NumMethod() {
				name := reflect.TypeOf(of).Elem().Name() + "." + reflect.TypeOf(of).Method(i).Name
				if uses[name] == nil {
					t.Errorf("%s is not used", name)
				}
			}
		}
		for name, f := range uses {
			var result any
			v := recovered(func() { result = f() })
			if v != nil && (ended || !strings.Contains(fmt.Sprint(v), "make the thread outside")) {
				t.Errorf("%s panics with %v; ended %v", name, v, ended)
			}
			_, method, _ := strings.Cut(name, ".")
			if v == nil && (result == true || !ended && slices.Contains(reaching, method)) {
				t.Errorf("%s does not panic, and returns %v", name, result)
			}
		}
	}
	elsewhere := func(t *testing.T, b *bubbled, ended bool) {
		use(t, b, ended)
		synctest.Test(t, func(t *testing.T) { use(t, b, ended) })
	}
	var b *bubbled
	ready, left := make(chan bool), make(chan bool)
	go func() {
		defer close(left)
		<-ready
		elsewhere(t, b, false)
	}()
	synctest.Test(t, func(t *testing.T) {
		b = newBubbled()
		b.th.Go(func() { time.Sleep(time.Minute) }) // which runs meanwhile
		close(ready)
		<-left // not of the bubble, so it is not idle
		if !b.th.Call(nop) || !b.p.Call(nop) {
			t.Error("a thread did not live on")
		}
		b.end()
	})
	elsewhere(t, b, true)
}

// Shutdown of what was made outside ends with a context of the bubble.
func TestBubble_ShutsDownWhatIsOutside(t *testing.T) {
	for name, w := range both(t) {
		busy := occupy(t, w.Go)
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			go cancel()
			if err := w.Shutdown(ctx); err != context.Canceled || w.Go(nop) {
				t.Errorf("%s: Shutdown returned %v", name, err)
			}
			inside := thread.New() // on which the wait is another one
			defer inside.Close()
			inside.Call(func() {
				if err := w.Shutdown(ctx); err != context.Canceled {
					t.Errorf("%s: on a thread, Shutdown returned %v", name, err)
				}
			})
			busy.Open()
			if err := w.Shutdown(t.Context()); err != nil || !isClosed(w.Done()) {
				t.Errorf("%s: the last Shutdown returned %v", name, err)
			}
		})
	}
}

// A context of a bubble whose clock has passed the time of today is followed, and not asked by a
// thread outside.
func TestBubble_inTheFarFutureEndsAContext(t *testing.T) {
	outside := start(t)
	outside.Stats() // which counts from now on
	for range scaled(100) {
		busy := occupy(t, outside.Go)
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(200 * 365 * 24 * time.Hour)
			ctx, cancel := context.WithCancel(t.Context())
			var callers testutil.Group
			callers.Go(func() {
				if err := outside.CallContext(ctx, func() { t.Error("ran") }); err != context.Canceled {
					t.Errorf("CallContext returned %v", err)
				}
			})
			outside.GoContext(ctx, func() { t.Error("ran") })
			for outside.Stats().Queued < 2 {
				runtime.Gosched()
			}
			cancel()
			callers.Wait()
			synctest.Wait()
			busy.Open()
			outside.Call(nop)
		})
	}
}

// A Timer that a bubble makes and stops before its thread, which is outside, has set it, is over.
func TestBubble_stopsATimerBeforeItIsSet(t *testing.T) {
	outside := start(t)
	busy := occupy(t, outside.Go)
	var timer *thread.Timer
	synctest.Test(t, func(t *testing.T) {
		timer = outside.Every(time.Microsecond, func() { t.Error("ran") })
		if !timer.Stop() {
			t.Error("Stop has not ended it")
		}
	})
	busy.Open()
	outside.Call(nop) // behind what would set it
	testutil.Ends(t, func() {
		if outside.Call(nop); timer.Stop() {
			t.Error("it has not been stopped")
		}
	})
}
