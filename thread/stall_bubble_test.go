//go:build go1.25

package thread_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// stalls returns the waits that a watchdog of a second reports, in a bubble, and when.
func stalls(t *testing.T, use func(th runner), begin func(...thread.Option) runner) (
	waits, when []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		th := begin(thread.WithSlowCall(time.Second, func(s thread.SlowCall) {
			if s.Waiting > 0 {
				mu.Lock()
				defer mu.Unlock()
				waits = append(waits, s.Waiting)
				when = append(when, time.Since(start))
			}
		}))
		use(th)
		th.Close()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := th.Stats().Queued; n != 0 {
			t.Errorf("%d functions are queued at the end", n)
		}
	})
	return waits, when
}

func TestWithSlowCall_reportsWhatWaits(t *testing.T) {
	const second = time.Second
	sleep := func(d time.Duration) func() { return func() { time.Sleep(d) } }
	for name, c := range map[string]struct {
		use         func(th runner)
		waits, when []time.Duration
	}{
		"the first that waits for a long function": {func(th runner) {
			th.Go(sleep(10 * second))
			time.Sleep(second / 2)
			for range 5 {
				th.Go(nop)
			}
			th.Call(nop)
		}, []time.Duration{second}, []time.Duration{second + second/2}},
		"many short functions": {func(th runner) {
			for range 10 {
				th.Go(sleep(9 * second / 10))
			}
		}, []time.Duration{second, 2 * second, 3 * second, 4 * second, 5 * second, 6 * second,
			7 * second, 8 * second},
			[]time.Duration{second, 2 * second, 3 * second, 4 * second, 5 * second, 6 * second,
				7 * second, 8 * second}},
		"none that waits for less": {func(th runner) {
			th.Go(sleep(second - 1))
			th.Call(nop)
		}, nil, nil},
		"none that gives up, and then one": {func(th runner) {
			th.Go(sleep(10 * second))
			ctx, cancel := context.WithTimeout(context.Background(), second/2)
			defer cancel()
			_ = th.CallContext(ctx, nop)
			th.Go(nop)
		}, []time.Duration{second}, []time.Duration{second + second/2}},
		"one whose context has ended, which has not had its turn": {func(th runner) {
			th.Go(sleep(10 * second))
			ctx, cancel := context.WithTimeout(context.Background(), second/2)
			defer cancel()
			th.GoContext(ctx, nop)
			time.Sleep(5 * second)
		}, []time.Duration{second}, []time.Duration{second}},
		"none after Terminate": {func(th runner) {
			th.Go(sleep(10 * second))
			th.Go(nop)
			go th.Call(nop)
			time.Sleep(second / 2)
			th.Terminate()
			th.Go(nop)
		}, nil, nil},
	} {
		for kind, begin := range map[string]func(opts ...thread.Option) runner{
			"Thread": func(opts ...thread.Option) runner { return thread.New(opts...) },
			"Pool":   func(opts ...thread.Option) runner { return thread.NewPool(1, opts...) },
		} {
			waits, when := stalls(t, c.use, begin)
			if !slices.Equal(waits, c.waits) || !slices.Equal(when, c.when) {
				t.Errorf("%s, %s: waits %v at %v, want %v at %v", kind, name, waits, when, c.waits,
					c.when)
			}
		}
	}
}

// What hangs began before OnSlowCall, and is not observed itself.
func TestOnSlowCall_hasTheStackOfWhatHangsAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th, release, told := start(t), make(chan bool), make(chan thread.SlowCall, 1)
		th.Go(func() { hang(release) })
		synctest.Wait()
		th.OnSlowCall(slow, func(s thread.SlowCall) { told <- s })
		th.Go(nop)
		s := testutil.Arrives(t, told)
		if close(release); s.Waiting != slow || !strings.Contains(s.Stack, "thread_test.hang(") {
			t.Errorf("told of %v", s)
		}
	})
}

//go:noinline
func nativeLoopThatHangs(release chan bool) { <-release }

// The watchdog sees a native loop that hangs by the call that waits for it, the first time and
// again.
func TestWithSlowCall_reportsANativeLoopThatHangs(t *testing.T) {
	synctest.Test(t, reportsANativeLoopThatHangs)
}

func reportsANativeLoopThatHangs(t *testing.T) {
	told := make(chan thread.SlowCall, 100)
	option := thread.WithSlowCall(slow, func(s thread.SlowCall) {
		if s.Waiting > 0 {
			told <- s
		}
	})
	begin, release := make(chan *thread.Thread), make(chan bool)
	var its uint64
	go func() {
		l := thread.Adopt(option)
		defer l.Close()
		l.OnWake(nop)
		its = here()
		l.Thread().Stats() // which counts from now on
		for range 2 {
			begin <- l.Thread()
			nativeLoopThatHangs(release)
			l.Serve(0)
		}
	}()
	for range 2 {
		th := <-begin
		called := make(chan bool, 3)
		queue := func() { called <- th.Call(nop) }
		go queue()
		s := testutil.Arrives(t, told)
		for range 2 {
			go queue()
		}
		synctest.Wait()
		if n := th.Stats().Queued; n != 3 {
			t.Errorf("%d calls wait, want 3", n)
		}
		release <- true
		for range 3 {
			testutil.Arrives(t, called)
		}
		if s.Waiting != slow || s.Running != 0 || s.TID != its ||
			!strings.Contains(s.Stack, "nativeLoopThatHangs") ||
			!strings.Contains(s.Caller, "reportsANativeLoopThatHangs") {
			t.Errorf("told of %v", s)
		}
		if !strings.Contains(s.String(), "has waited for") {
			t.Errorf("told as %v", s)
		}
	}
}
