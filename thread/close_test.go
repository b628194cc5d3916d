package thread_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// While a thread waits for an end, it runs the calls that what is to end makes to it, as in a cycle
// of calls: the call runs first, and then the end has come.
func TestClose_runsTheCallsOfWhatItEnds(t *testing.T) {
	// a closer makes something whose end calls f, and returns what ends it, and what says whether
	// it has ended
	type closer func(t *testing.T, f func()) (end func(), ended func() bool)
	closers := map[string]closer{
		"Thread.Close": func(t *testing.T, f func()) (func(), func() bool) {
			th := start(t, thread.WithStop(f))
			return th.Close, func() bool { return isClosed(th.Done()) }
		},
		"Thread.Close, a queued function": func(t *testing.T, f func()) (func(), func() bool) {
			th := start(t)
			busy := occupy(t, th.Go)
			th.Go(f)
			return func() { busy.Open(); th.Close() }, func() bool { return isClosed(th.Done()) }
		},
		"Pool.Close": func(t *testing.T, f func()) (func(), func() bool) {
			p := startPool(t, 3, thread.WithStop(f))
			return p.Close, func() bool { return isClosed(p.Done()) }
		},
		"Timer.Stop": func(t *testing.T, f func()) (func(), func() bool) {
			th := start(t)
			begun, ended := make(chan bool), new(atomic.Bool)
			timer := th.After(0, func() { begun <- true; f(); ended.Store(true) })
			return func() { <-begun; timer.Stop() }, ended.Load
		},
	}
	between := start(t)
	ways := map[string]func(self runner, f func()){
		"at once":        func(self runner, f func()) { self.Call(f) },
		"later":          func(self runner, f func()) { time.Sleep(2 * time.Millisecond); self.Call(f) },
		"through others": func(self runner, f func()) { between.Call(func() { self.Call(f) }) },
		"twice":          func(self runner, f func()) { self.Call(nop); self.Call(f) },
	}
	for name, closer := range closers {
		for how, way := range ways {
			t.Run(name+", "+how, func(t *testing.T) {
				for who, self := range map[string]runner{"a thread": start(t), "a pool": startPool(t, 1)} {
					ends(t, func() {
						self.Call(func() {
							var closing atomic.Bool
							calls := 0
							thread := here()
							end, ended := closer(t, func() {
								way(self, func() {
									if calls++; !closing.Load() || here() != thread {
										t.Errorf("%s: a call runs elsewhere", who)
									}
								})
							})
							closing.Store(true)
							if end(); !ended() || calls == 0 {
								t.Errorf("%s: it has returned before the end: %v, and %d calls", who, !ended(), calls)
							}
							closing.Store(false)
						})
						self.Call(nop) // it goes on
					})
				}
			})
		}
	}
}

// An adopted thread that does not serve at that moment runs them, too.
func TestClose_onAnAdoptedThreadRunsTheCallsOfAStop(t *testing.T) {
	ends(t, func() {
		l := thread.Adopt()
		defer l.Close()
		self := l.Thread()
		called := false
		th := start(t, thread.WithStop(func() { called = self.Call(nop) }))
		th.Call(nop)
		if th.Close(); !called || !isClosed(th.Done()) {
			t.Errorf("Close has returned early; the call returned %v", called)
		}
	})
}

// Close does not wait for what waits for it, and lets go of a function that calls Goexit.
func TestClose_doesNotWaitForItself(t *testing.T) {
	a, b := start(t), start(t)
	ends(t, func() { // each in a function of the other
		var both testutil.Group
		both.Go(func() { a.Call(func() { b.Close() }) })
		both.Go(func() { b.Call(func() { a.Close() }) })
		both.Wait()
	})
	self := start(t)
	var inner *thread.Thread
	returned := false
	inner = start(t, thread.WithStop(func() {
		self.Call(func() {
			inner.Close() // which waits for the stop function, which waits for this one
			returned = true
		})
	}))
	ends(t, func() { self.Call(inner.Close) })
	if !returned || !isClosed(inner.Done()) {
		t.Errorf("the inner Close returned: %v", returned)
	}
	last := start(t, thread.WithStop(func() { self.Call(runtime.Goexit) }))
	if _, returned := exits(t, func() { self.Call(last.Close) }); returned {
		t.Error("a Goexit within Close is lost")
	}
	testutil.Arrives(t, last.Done())
	ends(t, func() { self.Call(nop) })
}
