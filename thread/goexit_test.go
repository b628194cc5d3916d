package thread_test

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// Each function of a cycle recovers what a function in place would recover, while the Goexit goes on.
func TestGoexit_panic(t *testing.T) {
	a, b := start(t), start(t)
	p := startPool(t, 1)
	call := func(f func()) bool { f(); return true }
	for name, w := range map[string]struct{ a, b func(f func()) bool }{
		"in place":         {call, call},
		"threads":          {a.Call, b.Call},
		"a pool":           {p.Call, b.Call},
		"through a pool":   {a.Call, p.Call},
		"with contexts":    {withContext(t, a), withContext(t, b)},
		"with a coroutine": {a.Call, func(f func()) bool { return b.Call(func() { inCoroutine(f) }) }},
	} {
		if strings.Contains(name, "coroutine") && here() == 0 {
			continue
		}
		for _, middleRecovers := range []bool{true, false} {
			var outer, middle, inner any
			var order []string
			deferred, returned := exits(t, func() {
				w.a(func() {
					defer func() { outer = recover(); order = append(order, "outer") }()
					w.b(func() {
						defer func() {
							if order = append(order, "middle"); middleRecovers {
								middle = recover()
							}
						}()
						w.a(func() {
							defer func() { order = append(order, "inner"); panic("x") }()
							defer func() { inner = recover() }()
							runtime.Goexit()
						})
					})
				})
			})
			want := [3]any{nil, nil, "x"}
			if middleRecovers {
				want = [3]any{nil, "x", nil}
			}
			if !slices.Equal(order, []string{"inner", "middle", "outer"}) {
				t.Errorf("%s: unwound in the order %v", name, order)
			}
			if got := [3]any{inner, middle, outer}; got != want || !deferred || returned {
				t.Errorf("%s: recovered %v, want %v; the deferred calls ran: %v, the goroutine went on: %v",
					name, got, want, deferred, returned)
			}
			if name != "in place" && (!w.a(nop) || !w.b(nop)) {
				t.Errorf("%s: a thread did not live on", name)
			}
		}
	}
}

// exitWhileWaiting has thread a wait for a target, which waits for d, which calls a: a function that calls Goexit. It tells
// whether f, which a has called on the target, ran.
func exitWhileWaiting(t *testing.T, a, d *thread.Thread, call func(func()) bool, f func(unwound bool)) (ran bool) {
	t.Helper()
	var unwound atomic.Bool
	var all group.Group
	waits := make(chan bool)
	all.Go(func() {
		call(func() { // keeps the target busy
			d.Call(func() {
				<-waits
				time.Sleep(100 * time.Microsecond)
				a.Call(runtime.Goexit)
			})
		})
	})
	all.Go(func() {
		a.Call(func() {
			defer unwound.Store(true)
			close(waits)
			call(func() { ran = true; f(unwound.Load()) })
		})
	})
	ends(t, all.Wait)
	ends(t, func() { call(nop) })
	return ran
}

// What a thread waited for when it was unwound has no caller any more: it does not begin.
func TestGoexit_left(t *testing.T) {
	for name, call := range map[string]func(func()) bool{
		"CallContext": withContext(t, start(t)),
		"Pool.Call":   startPool(t, 1).Call,
	} {
		a, d, left := start(t), start(t), 0
		for i := range scaled(1000) {
			exits(t, func() { a.Call(func() { call(func() { a.Call(runtime.Goexit) }) }) }) // the call has begun
			if i%10 == 0 && !exitWhileWaiting(t, a, d, call, func(unwound bool) {           // or it has not
				if unwound {
					t.Errorf("%s: it began although its caller had been unwound", name)
				}
			}) {
				left++
			}
		}
		t.Logf("%s: %d were left before they had begun", name, left)
	}
}
