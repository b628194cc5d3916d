//go:build go1.25

package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/spin"
)

// The clock of a bubble, which is years before or after the process's, decides about nothing that
// other goroutines and threads use.
func TestBubble_clock(t *testing.T) {
	for _, d := range []time.Duration{0, 100 * 365 * 24 * time.Hour} {
		e := start(t)
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(d)
			for range 10 {
				e.Call(func() {})
				e.waits.Offer.Store(spin.Meets)
				e.waits.Wait(e.q.Get(callq.Awaited, nil, 0), false, true, false)
			}
			inside := start(t)
			for range 10 * maxCalls { // brief functions, and some take longer than askAfter
				inside.Go(func() {})
			}
			inside.Call(func() { inside.idleState.Policy.Contended = spin.Memory })
			for i := range 10 * maxCalls {
				inside.Go(func() {
					if i%maxCalls == 0 {
						time.Sleep(2 * askAfter)
					}
				})
			}
			inside.Call(func() {})
		})
		now := clock.Now()
		for what, at := range map[string]int64{
			"the cores were counted": spin.Spinners.Checked.Load(),
			"threads were counted":   spin.Others.Sampled.Load(),
			"a caller has returned":  e.waits.Returned.Load(),
		} {
			if at < 0 || time.Duration(at) > now {
				t.Errorf("%v later: %s at %v, and it is %v", d, what, time.Duration(at), now)
			}
		}
	}
}

// The thread of a bubble is left to no engine outside, and does not spin.
func TestNew_keepsNoThreadOfABubble(t *testing.T) {
	outside, _ := New(Config{Keep: true})
	synctest.Test(t, func(t *testing.T) {
		e, _ := New(Config{Keep: true})
		if e.Keep || !outside.Keep || !e.waits.Parks {
			t.Errorf("kept in a bubble: %v, outside: %v; spins: %v", e.Keep, outside.Keep, !e.waits.Parks)
		}
	})
}

// Between the clock of a bubble, by which a function was queued, and that of its thread are years.
func TestMeasure_ofACallFromABubble(t *testing.T) {
	e := start(t)
	e.observer.Measure(true)
	synctest.Test(t, func(*testing.T) { e.Call(func() {}) })
	if w := e.Stats().Waits; w.Count != 1 || w.Sum > time.Hour {
		t.Errorf("%d functions have waited for %v", w.Count, w.Sum)
	}
}

// What the thread of a bubble that has ended refuses to a caller elsewhere is counted.
func TestCallContext_countsWhatAnEndedBubbleRefuses(t *testing.T) {
	var e *Engine
	synctest.Test(t, func(*testing.T) {
		e, _ = New(Config{})
		e.Terminate()
	})
	err, n := e.CallContext(context.Background(), func() {}), e.Tally.Refused.Load()
	if err != ErrTerminated || n != 1 {
		t.Errorf("returned %v; %d are refused, want 1", err, n)
	}
}
