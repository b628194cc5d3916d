package thread_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestThread_On(t *testing.T) {
	a, b := start(t), start(t)
	check := func(onA, onB bool) {
		t.Helper()
		if a.On() != onA || b.On() != onB {
			t.Errorf("on a: %v, on b: %v; want %v, %v", a.On(), b.On(), onA, onB)
		}
	}
	check(false, false)
	a.Call(func() {
		check(true, false)
		b.Call(func() { check(false, true) })
		a.Call(func() { check(true, false) })
		if here() != 0 {
			inCoroutine(func() { check(true, false) })
		}
		done := make(chan bool)
		go func() { check(false, false); close(done) }()
		<-done
	})
	a.Terminate()
	b.Terminate()
	check(false, false)
}

// Threads are made on whatever thread of the system the runtime has at hand: one on which a goroutine ran a moment before
// that now asks whether it is on it.
func TestThread_On_justMade(t *testing.T) {
	var youngest atomic.Pointer[thread.Thread]
	youngest.Store(start(t))
	var stop atomic.Bool
	var others group.Group
	for range 4 {
		others.Go(func() {
			for !stop.Load() {
				for range 100 {
					if th := youngest.Load(); th.On() {
						t.Error("On is true on a goroutine that is not locked")
						return
					}
				}
				runtime.Gosched()
			}
		})
	}
	for begin := time.Now(); time.Since(begin) < shortly(300*time.Millisecond); {
		th := thread.New()
		youngest.Store(th)
		th.Call(nop)
		th.Terminate()
	}
	stop.Store(true)
	others.Wait()
}

func TestThread_ID(t *testing.T) {
	seen := map[uint64]bool{}
	for range 10 {
		th := thread.New()
		if id := th.ID(); id == 0 || seen[id] || th.ID() != id {
			t.Errorf("ID %d after %v", id, seen)
		}
		seen[th.ID()] = true
		th.Terminate()
	}
}
