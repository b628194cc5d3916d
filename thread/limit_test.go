package thread_test

import (
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func limited(t *testing.T, n int) map[string]way {
	th, p := start(t, thread.WithQueueLimit(n)), startPool(t, 1, thread.WithQueueLimit(n))
	return map[string]way{
		"thread": {th.Call, th.Go, th.Terminate},
		"pool":   {p.Call, p.Go, p.Terminate},
	}
}

func TestWithALimitGoWaitsForAPlace(t *testing.T) {
	for name, w := range limited(t, 3) {
		t.Run(name, func(t *testing.T) {
			busy := occupy(t, w.post)
			var queued, ran atomic.Int32
			done := make(chan bool)
			go func() {
				for range 10 {
					w.post(func() { ran.Add(1) })
					queued.Add(1)
				}
				close(done)
			}()
			eventually(t, func() bool { return queued.Load() == 3 }, "three are queued")
			time.Sleep(10 * time.Millisecond)
			if n := queued.Load(); n != 3 {
				t.Errorf("%d functions are queued, and the limit is 3", n)
			}
			busy.Open()
			arrives(t, done)
			w.call(nop)
			if n := ran.Load(); n != 10 {
				t.Errorf("%d functions ran, want 10", n)
			}
		})
	}
}

func TestWithALimitTheThreadItselfNeverWaits(t *testing.T) {
	for name, w := range limited(t, 3) {
		t.Run(name, func(t *testing.T) {
			ran := 0
			ends(t, func() {
				w.call(func() {
					for range 100 {
						w.post(func() { ran++ })
					}
				})
				w.call(nop)
			})
			if ran != 100 {
				t.Errorf("%d functions ran, want 100", ran)
			}
		})
	}
}

func TestWithALimitACoroutineOnTheThreadNeverWaits(t *testing.T) {
	if here() == 0 {
		t.Skip("the system does not tell threads apart")
	}
	th := start(t, thread.WithQueueLimit(1))
	p := startPool(t, 1, thread.WithQueueLimit(1))
	for name, w := range map[string]struct{ call, post func(func()) bool }{"thread": {th.Call, th.Go}, "pool": {p.Call, p.Go}} {
		ran := 0
		ends(t, func() {
			w.call(func() {
				next, stop := iter.Pull(func(func(int) bool) {
					for range 3 {
						w.post(func() { ran++ })
					}
				})
				defer stop()
				next()
			})
			w.call(nop)
		})
		if ran != 3 {
			t.Errorf("%s: %d functions ran", name, ran)
		}
	}
}

func TestALimitDoesNotKeepCallsWaiting(t *testing.T) {
	for name, w := range limited(t, 1) {
		t.Run(name, func(t *testing.T) {
			busy := occupy(t, w.post)
			w.post(nop) // takes the place
			const callers = 10
			results := make(chan bool)
			for range callers {
				go func() { results <- w.call(nop) }()
			}
			busy.Open()
			for range callers {
				if !arrives(t, results) {
					t.Error("a call did not run")
				}
			}
		})
	}
}

func TestTerminateLetsThoseGoThatWaitForAPlace(t *testing.T) {
	for name, w := range limited(t, 1) {
		t.Run(name, func(t *testing.T) {
			busy := occupy(t, w.post)
			w.post(nop)
			results := make(chan bool)
			for range 5 {
				go func() { results <- w.post(func() { t.Error("ran after Terminate") }) }()
			}
			time.Sleep(5 * time.Millisecond)
			w.terminate()
			for range 5 {
				if arrives(t, results) {
					t.Error("told that it will run")
				}
			}
			if w.post(nop) {
				t.Error("told that it will run")
			}
			busy.Open()
		})
	}
}

func TestWithALimitNothingIsLostAndTheOrderHolds(t *testing.T) {
	for name, w := range limited(t, 2) {
		t.Run(name, func(t *testing.T) {
			r := seeded(t)
			ends(t, func() {
				var all sync.WaitGroup
				for range 4 {
					r := fork(r)
					all.Go(func() { inOrder(t, r, w, scaled(5000)) })
				}
				all.Wait()
			})
		})
	}
}

func TestALimitBelowOneIsNone(t *testing.T) {
	for _, n := range []int{0, -1} {
		for _, w := range limited(t, n) {
			busy := occupy(t, w.post)
			ends(t, func() {
				for range 1000 {
					w.post(nop)
				}
			})
			busy.Open()
		}
	}
}

func TestACircleUnderALimit(t *testing.T) {
	a, b := start(t, thread.WithQueueLimit(1)), start(t, thread.WithQueueLimit(1))
	ends(t, func() {
		for range 100 {
			a.Call(func() {
				b.Call(func() {
					a.Go(nop) // takes the one place on a, which waits
					a.Call(nop)
				})
			})
		}
	})
}
