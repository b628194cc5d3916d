//go:build go1.25

package thread_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// In a bubble the times are exact, and so show that they do not drift.
func TestBubble_timers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		th := thread.New()
		defer th.Terminate()
		begin := time.Now()
		var at []time.Duration
		run := func() { at = append(at, time.Since(begin)) }
		check := func(what string, want ...time.Duration) {
			t.Helper()
			th.Call(func() {
				if !slices.Equal(at, want) {
					t.Errorf("%s: ran at %v, want %v", what, at, want)
				}
				at = nil
			})
			begin = time.Now()
		}
		th.After(time.Hour, run)
		time.Sleep(2 * time.Hour)
		check("After", time.Hour)

		timer := th.Every(time.Second, run)
		time.Sleep(3*time.Second + 1)
		timer.Stop()
		time.Sleep(time.Minute)
		check("Every", 1*time.Second, 2*time.Second, 3*time.Second)

		timer = th.Every(time.Second, run)
		th.Go(func() { time.Sleep(3500 * time.Millisecond) })
		time.Sleep(5500 * time.Millisecond)
		if missed := timer.Missed(); missed != 2 {
			t.Errorf("%d ticks missed, want 2", missed)
		}
		timer.Stop()
		check("a late thread", 3500*time.Millisecond, 4*time.Second, 5*time.Second)

		timer = th.Every(time.Second, func() { run(); time.Sleep(1500 * time.Millisecond) })
		time.Sleep(5800 * time.Millisecond)
		timer.Stop() // waits until 7 s
		if d := time.Since(begin); d != 7*time.Second {
			t.Errorf("Stop returned after %v", d)
		}
		check("a slow function", 1*time.Second, 2500*time.Millisecond, 4*time.Second, 5500*time.Millisecond)

		timer = th.Every(math.MaxInt64, run)
		th.After(math.MaxInt64, run)
		time.Sleep(100 * 24 * time.Hour)
		timer.Stop()
		check("far")
	})
}

// A thread outside the bubble keeps the real time.
func TestBubble_timers_outside(t *testing.T) {
	th := start(t)
	for range scaled(50) {
		synctest.Test(t, func(t *testing.T) {
			for name, newTimer := range timers {
				begin := time.Now()
				ran := new(atomic.Int32)
				timer := newTimer(th, time.Millisecond, func() {
					if ran.Add(1) == 1 && time.Now().Year() < 2020 {
						t.Errorf("%s: the function runs inside the bubble", name)
					}
					time.Sleep(100 * time.Microsecond)
				})
				for ran.Load() == 0 {
					th.Call(nop) // the clock of the bubble stands still
				}
				timer.Stop()
				n := ran.Load()
				th.Call(func() { time.Sleep(2 * time.Millisecond) })
				th.Call(nop)
				if ran.Load() != n {
					t.Errorf("%s: ran after Stop", name)
				}
				if d := time.Since(begin); d != 0 {
					t.Errorf("%s: %v passed in the bubble", name, d)
				}
			}
			never := th.After(time.Millisecond, func() { t.Error("ran after Stop") })
			never.Stop()
			left := new(atomic.Bool)
			th.After(time.Millisecond, func() { left.Store(true) })
			th.Every(time.Hour, nop) // until the thread ends
		})
	}
	// Stop waits for a function outside.
	synctest.Test(t, func(t *testing.T) {
		entered, ended := new(atomic.Bool), new(atomic.Bool)
		timer := th.Every(time.Millisecond, func() { entered.Store(true); time.Sleep(20 * time.Millisecond); ended.Store(true) })
		for !entered.Load() {
			time.Sleep(time.Nanosecond)
		}
		if timer.Stop(); !ended.Load() {
			t.Error("Stop has not waited")
		}
	})
	// A timer made outside is stopped inside.
	var ran atomic.Int32
	timer := th.Every(time.Millisecond, func() { ran.Add(1) })
	eventually(t, func() bool { return ran.Load() > 1 }, "it ticks")
	synctest.Test(t, func(t *testing.T) { timer.Stop() })
	n := ran.Load()
	th.Call(func() { time.Sleep(3 * time.Millisecond) })
	th.Call(nop)
	if ran.Load() != n {
		t.Error("ran after Stop")
	}
}

func TestBubble_timers_unreachable(t *testing.T) {
	var th *thread.Thread
	var timer *thread.Timer
	ready, left := make(chan bool), make(chan bool)
	go func() {
		<-ready
		for name, use := range map[string]func(){
			"After": func() { th.After(1, nop) },
			"Every": func() { th.Every(1, nop) },
			"Stop":  timer.Stop,
		} {
			if v := fmt.Sprint(recovered(use)); !strings.Contains(v, "make the thread outside the bubble") {
				t.Errorf("%s panicked with %v", name, v)
			}
		}
		close(left)
	}()
	synctest.Test(t, func(t *testing.T) {
		th = thread.New()
		timer = th.Every(time.Hour, nop)
		close(ready)
		<-left
		th.Terminate()
		<-th.Done()
	})
	timer.Stop()
	th.After(1, nop).Stop()
}
