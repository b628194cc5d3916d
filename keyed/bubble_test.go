//go:build go1.25

package keyed_test

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

// Unused threads end after the time of the bubble that they are in. One that was made outside
// ends its threads there, although the last call was made in a bubble, whose clock shows another
// year.
func TestBubble_endsUnusedThreadsAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newThreads(t, keyed.WithMaxThreads(2))
		var stops atomic.Int32
		k.stop = func(int) { stops.Add(1); time.Sleep(time.Hour) }
		defer k.Close()
		begin := time.Now()
		k.do(t, 1, nop)
		time.Sleep(30 * time.Second)
		k.do(t, 2, nop)
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if n := stops.Load(); n != 1 {
			t.Errorf("after a minute for one of two, %d threads are stopped", n)
		}
		// waits for 10 ms before it believes that the first one hangs; then key 2 must yield
		k.do(t, 3, nop)
		if d := time.Since(begin); d < time.Hour || d > time.Hour+2*time.Minute {
			t.Errorf("the slot was free after %v, want the hour of a stop function", d)
		}
	})
	outside := newThreads(t, keyed.WithIdleTimeout(time.Millisecond))
	entered, release, returned := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(returned)
		outside.do(t, 1, func() { close(entered); <-release })
	}()
	<-entered
	synctest.Test(t, func(t *testing.T) {
		mustPanic(t, func() { outside.do(t, 2, nop) }, "inside")
		go whenQueued(func() { close(release) })
		outside.do(t, 1, func() { <-returned }) // so this is the last call
	})
	eventually(t, func() bool { return outside.alive() == 0 }, "its thread is stopped")
}

// A thread that is in use when another would be ended, and not known by then to be unused later,
// has its time as well.
func TestBubble_endsAThreadThatWasInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newThreads(t)
		begin, stopped := time.Now(), make(chan time.Duration, 1)
		k.stop = func(int) { stopped <- time.Since(begin) }
		k.do(t, 1, nop) // would end it after 60 s
		time.Sleep(59 * time.Second)
		k.do(t, 1, func() { time.Sleep(2 * time.Second) })
		if d := <-stopped; d != 121*time.Second {
			t.Errorf("it is stopped after %v, want a minute after 61 s", d)
		}
		k.do(t, 2, nop) // sets a timer for both
		time.Sleep(30 * time.Second)
		k.do(t, 2, nop)
		if d := <-stopped; d != 121*time.Second+90*time.Second {
			t.Errorf("the next is stopped after %v, want a minute after its last call", d)
		}
	})
}

// whenQueued calls f when a function is queued for some thread, which could end before.
func whenQueued(f func()) {
	queued := func(s access.State) bool { return s.Stats.Queued > 0 }
	for states, _ := access.States(); !slices.ContainsFunc(states, queued); {
		runtime.Gosched()
		states, _ = access.States()
	}
	f()
}

// Threads that were made in a bubble refuse calls from elsewhere once they have been closed, and
// panic before.
func TestBubble_isUsedFromElsewhere(t *testing.T) {
	uses := func(k *keyed.Threads[int]) map[string]func() error {
		does := func(f func()) func() error { return func() error { f(); return thread.ErrTerminated } }
		return map[string]func() error{
			"Call":      func() error { return k.Call(ctx, 1, ok) },
			"Call, new": func() error { return k.Call(ctx, 2, ok) },
			"CallWith":  func() error { return k.CallWith(ctx, 2, ok, ok) },
			"Close":     does(k.Close),
			"Shutdown":  func() error { return cmp.Or(k.Shutdown(ctx), thread.ErrTerminated) },
			"Done":      does(func() { k.Done() }),
			"Forget":    does(func() { k.Forget(1); k.Forget(2) }),
			"Stats":     does(func() { k.Stats() }),
		}
	}
	elsewhere := func(t *testing.T, k *keyed.Threads[int], closed bool) {
		use := func(t *testing.T) {
			for name, f := range uses(k) {
				var err error
				v := testutil.Recovered(func() { err = f() })
				if v != nil && (closed || !strings.Contains(fmt.Sprint(v), "made in a bubble")) ||
					v == nil && err != thread.ErrTerminated {
					t.Errorf("%s returns %v, panics with %v; closed: %v", name, err, v, closed)
				}
			}
		}
		use(t)
		synctest.Test(t, use)
	}
	var k *keyed.Threads[int]
	ready, left := make(chan bool), make(chan bool)
	go func() {
		defer close(left)
		<-ready
		elsewhere(t, k, false)
	}()
	synctest.Test(t, func(t *testing.T) {
		k = keyed.New[int](nil)
		if err := k.Call(ctx, 1, ok); err != nil {
			t.Error(err)
		}
		close(ready)
		<-left // not of the bubble, so it is not idle
		if err := k.Call(ctx, 1, ok); err != nil {
			t.Error(err)
		}
		k.Close()
	})
	elsewhere(t, k, true)
}

// Threads from outside are used in bubbles whose clocks show any year, and keep the real time: idle
// threads end, and no thread is made in the bubble.
func TestBubble_leavesNothingInThreadsOutside(t *testing.T) {
	for _, years := range []time.Duration{0, 30, 200} {
		outside := newThreads(t, keyed.WithIdleTimeout(10*time.Millisecond), keyed.WithMaxThreads(1))
		outside.do(t, 1, nop)
		entered, release := make(chan bool), make(chan bool)
		first := outside.later(t, 1, func() { close(entered); <-release })
		testutil.Arrives(t, entered)
		second := outside.later(t, 2, nop) // waits for the slot
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(years * 365 * 24 * time.Hour)
			mustPanic(t, func() { outside.do(t, 3, nop) }, "inside")
			outside.Forget(1)
			go close(release)
		})
		testutil.Arrives(t, first)
		testutil.Arrives(t, second)
		entered, release = make(chan bool), make(chan bool)
		first = outside.later(t, 1, func() { close(entered); <-release })
		testutil.Arrives(t, entered)
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(years * 365 * 24 * time.Hour)
			go whenQueued(func() { close(release) })
			outside.do(t, 1, func() { <-first }) // so this is the last call
		})
		eventually(t, func() bool { return outside.alive() == 0 }, "%d years: its threads stop", years)
		if s := outside.Stats(); s.IdleEnded == 0 {
			t.Errorf("after %d years: %+v", years, s)
		}
	}
}

// Keys that are used again and again keep their threads beside any number that are used once, and
// when others take their place. In a bubble no thread takes so long to end that another one does.
func TestBubble_keepsThreadsOfKeysThatReturn(t *testing.T) {
	const limit, often, rounds = 12, 8, 40
	synctest.Test(t, func(t *testing.T) {
		k := newThreads(t, keyed.WithMaxThreads(limit))
		defer k.Close()
		for set := range 3 {
			for round := range rounds {
				for i := range often {
					k.do(t, 100*set+i, nop)
					k.do(t, 1000*(1+set)+often*round+i, nop) // once
				}
			}
			for i := range often {
				// the keys before it keep theirs for 4*limit others
				if n, most := k.starts[100*set+i], 2+4*limit/often; n > most {
					t.Errorf("set %d: key %d had %d threads, want %d at most", set, i, n, most)
				}
			}
		}
	})
}

// Shutdown waits as long as its context says, and then leaves the rest to end by itself.
func TestBubble_ShutdownEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newThreads(t, keyed.WithMaxThreads(1))
		var began time.Time
		first := k.later(t, 1, func() { began = time.Now(); time.Sleep(time.Hour) })
		synctest.Wait()
		second := make(chan error)
		go func() { second <- k.Call(ctx, 2, ok) }() // waits for the thread of the first
		synctest.Wait()
		timeout, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		start := time.Now()
		err := k.Shutdown(timeout)
		if d := time.Since(start); err != context.DeadlineExceeded || d != time.Minute {
			t.Errorf("after %v, Shutdown returned %v", d, err)
		}
		if waited, later := <-second, k.Call(ctx, 3, ok); waited != thread.ErrTerminated ||
			later != thread.ErrTerminated {
			t.Errorf("calls that had no thread returned %v and %v", waited, later)
		}
		err = k.Shutdown(ctx)
		if d := time.Since(began); err != nil || d != time.Hour || k.alive() != 0 {
			t.Errorf("after %v, Shutdown returned %v; %d threads", d, err, k.alive())
		}
		<-first
	})
}
