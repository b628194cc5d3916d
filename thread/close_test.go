package thread_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/access"
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
		"Thread.Shutdown": func(t *testing.T, f func()) (func(), func() bool) {
			th := start(t, thread.WithStop(f))
			return func() { _ = th.Shutdown(t.Context()) }, func() bool { return isClosed(th.Done()) }
		},
		"Pool.Close": func(t *testing.T, f func()) (func(), func() bool) {
			p := startPool(t, 3, thread.WithStop(f))
			return p.Close, func() bool { return isClosed(p.Done()) }
		},
		"Timer.Stop": func(t *testing.T, f func()) (func(), func() bool) {
			th := start(t)
			begun, ended := make(chan bool), new(atomic.Bool)
			timer := th.AfterFunc(0, func() { begun <- true; f(); ended.Store(true) })
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

// When its context is done first, Shutdown returns the cause and leaves the thread closing: what is
// queued still runs, what is new is refused, and a second Shutdown waits for the end.
func TestShutdown_waitsForTheEndOrItsContext(t *testing.T) {
	for name, w := range both(t) {
		busy := occupy(t, w.Go)
		var ran atomic.Int32
		w.Go(func() { ran.Add(1) })
		ctx, cancel := context.WithCancelCause(t.Context())
		waited := make(chan error)
		go func() { waited <- w.Shutdown(ctx) }()
		eventually(t, func() bool { return !w.Go(nop) }, "%s: functions are refused", name)
		cancel(errBoom)
		if err := testutil.Arrives(t, waited); err != errBoom {
			t.Errorf("%s: Shutdown returned %v", name, err)
		}
		if err := w.Shutdown(ctx); err != errBoom || w.GoContext(t.Context(), nop) == nil {
			t.Errorf("%s: Shutdown whose context is done returned %v", name, err)
		}
		go func() { waited <- w.Shutdown(t.Context()) }()
		busy.Open()
		if err := testutil.Arrives(t, waited); err != nil || ran.Load() != 1 || !isClosed(w.Done()) {
			t.Errorf("%s: Shutdown returned %v; %d functions ran", name, err, ran.Load())
		}
		if err := w.Shutdown(ctx); err != nil {
			t.Errorf("%s: after the end, Shutdown returned %v", name, err)
		}
	}
}

// After a Shutdown that has given up, Terminate refuses what is queued.
func TestShutdown_leavesTheRestToTerminate(t *testing.T) {
	for name, w := range both(t) {
		busy := occupy(t, w.Go)
		w.Go(func() { t.Errorf("%s: the function runs", name) })
		if err := w.Shutdown(canceled(t)); err != context.Canceled {
			t.Errorf("%s: Shutdown returned %v", name, err)
		}
		w.Terminate()
		busy.Open()
		ends(t, func() {
			if err := w.Shutdown(t.Context()); err != nil {
				t.Errorf("%s: after Terminate, Shutdown returned %v", name, err)
			}
		})
	}
}

// canceled returns a context that is done.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// On the thread, and in a function that the thread waits for, Shutdown does not wait, and is not an
// error.
func TestShutdown_doesNotWaitForItself(t *testing.T) {
	for name, w := range both(t) {
		other := start(t)
		var itself, throughOther error
		ends(t, func() {
			w.Call(func() { other.Call(func() { throughOther = w.Shutdown(t.Context()) }) })
		})
		if throughOther != nil {
			t.Errorf("%s: in a function that it waits for, Shutdown returned %v", name, throughOther)
		}
		testutil.Arrives(t, w.Done())
		again := both(t)[name]
		ends(t, func() { again.Call(func() { itself = again.Shutdown(canceled(t)) }) })
		if itself != nil {
			t.Errorf("%s: on itself, Shutdown returned %v", name, itself)
		}
		testutil.Arrives(t, again.Done())
	}
}

// On another thread, the wait ends with the context, too.
func TestShutdown_onAnotherThreadEndsWithItsContext(t *testing.T) {
	for name, w := range both(t) {
		self := start(t)
		busy := occupy(t, w.Go)
		ctx, cancel := context.WithCancelCause(t.Context())
		waited := make(chan error)
		go self.Call(func() { waited <- w.Shutdown(ctx) })
		eventually(t, func() bool { return !w.Go(nop) }, "%s: functions are refused", name)
		cancel(errBoom)
		if err := testutil.Arrives(t, waited); err != errBoom {
			t.Errorf("%s: Shutdown returned %v", name, err)
		}
		busy.Open()
		testutil.Arrives(t, w.Done())
	}
}

// The goroutine of an adopted thread runs what is queued, and begins nothing when the context is
// done.
func TestShutdown_runsWhatIsQueuedOnAnAdoptedThread(t *testing.T) {
	ends(t, func() {
		th := thread.Adopt().Thread()
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		th.Go(func() { n++ })
		th.Go(func() { n++; cancel(errBoom) })
		th.Go(func() { n++ })
		if err := th.Shutdown(ctx); err != errBoom || n != 2 || th.Go(nop) || isClosed(th.Done()) {
			t.Errorf("Shutdown returned %v; %d functions ran", err, n)
		}
		if err := th.Shutdown(t.Context()); err != nil || n != 3 || !isClosed(th.Done()) {
			t.Errorf("the second Shutdown returned %v; %d functions ran", err, n)
		}
	})
}

// A function of Goexit ends the goroutine, when what is queued has run and the thread has ended.
func TestClose_ofAnAdoptedThreadRunsWhatIsBehindAGoexit(t *testing.T) {
	var th *thread.Thread
	ran := false
	exitsWith(t, "Close", func() {
		th = thread.Adopt().Thread()
		th.Go(runtime.Goexit)
		th.Go(func() { ran = true })
		th.Close()
	})
	if !ran || !isClosed(th.Done()) {
		t.Errorf("the function behind it ran: %v", ran)
	}
}

func TestOnPanic_setsTheHandlerOfAPool(t *testing.T) {
	p := startPool(t, 2)
	got := make(chan *thread.PanicError, 1)
	p.OnPanic(func(err *thread.PanicError) { got <- err })
	p.Go(func() { panic(errBoom) })
	if err := testutil.Arrives(t, got); !errors.Is(err, errBoom) {
		t.Errorf("the handler got %v", err)
	}
}

// Close waits in a cycle that ends by itself: what waits for a place in the queue of the thread on
// which it was called does without.
func TestClose_waitsForAPostToAFullQueue(t *testing.T) {
	full, th := start(t, thread.WithQueueLimit(1)), start(t)
	full.Call(func() {
		posted := false
		testutil.Ends(t, func() { full.Go(nop) })
		th.Go(func() { posted = full.Go(nop) })
		eventually(t, func() bool {
			states, _ := access.States()
			return slices.ContainsFunc(states, func(s access.State) bool {
				return s.ID == th.ID() && s.Threads[0].Waits == "a place in the queue"
			})
		}, "a post waits for a place")
		if th.Close(); !posted {
			t.Error("Close has returned before the last function")
		}
	})
}
